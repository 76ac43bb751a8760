/**
 * Flags of Node that limit the memory which an idle process retains. V8 grows its new space under
 * load and does not shrink it; beyond 16 MiB the measured CPU time per call does not fall.
 * `npm start` sets the flags of its own process in package.json.
 */
export const MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=16'];

/** Limits the number of memory pools that glibc creates for threads; set in package.json, too. */
export const MEMORY_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' };
