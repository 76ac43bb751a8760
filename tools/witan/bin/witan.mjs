#!/usr/bin/env node
// The witan command. It is run from an installed tree (npx, node_modules/.bin) and never installs;
// the working folder stays the caller's, so that file arguments mean what they say.
import { fileURLToPath } from 'node:url';
import { reexecPinned } from '../../repo/src/bootstrap.mjs';

await reexecPinned(
  fileURLToPath(new URL('../src/main.ts', import.meta.url)),
  process.argv.slice(2),
);
