#!/usr/bin/env node
// npm start: installs what is missing and runs the whole system under the pinned Node.
import { fileURLToPath } from 'node:url';
import { ensureInstalled, reexecPinned } from '../../repo/src/bootstrap.mjs';

await ensureInstalled();
await reexecPinned(
  fileURLToPath(new URL('../src/start.ts', import.meta.url)),
  process.argv.slice(2),
);
