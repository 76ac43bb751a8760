#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { ensureInstalled, reexecPinned } from '../../repo/src/bootstrap.mjs';

await ensureInstalled();
await reexecPinned(
  fileURLToPath(new URL('../src/start.ts', import.meta.url)),
  process.argv.slice(2),
  // package.json sets flags of Node.
  { flags: process.execArgv },
);
