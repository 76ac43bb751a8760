#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { ensureInstalled, reexecPinned } from '../../repo/src/bootstrap.mjs';

await ensureInstalled();
await reexecPinned(
  fileURLToPath(new URL('../src/start.ts', import.meta.url)),
  process.argv.slice(2),
  // The flag of package.json; others, such as `--inspect`, are for this process only.
  { flags: process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size=')) },
);
