#!/usr/bin/env node
// The `witan` command of an installed tree. Unlike `npm start` it does not install packages and
// does not change the working directory, to which file arguments are relative.
import { fileURLToPath } from 'node:url';
import { reexecPinned } from '../../repo/src/bootstrap.mjs';

await reexecPinned(
  fileURLToPath(new URL('../src/main.ts', import.meta.url)),
  process.argv.slice(2),
);
