const NANOS_PER_MS = 1e6;

/** Milliseconds of a clock that every process of the machine reads alike (CLOCK_MONOTONIC). */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MS;
