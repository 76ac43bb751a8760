#!/usr/bin/env node
// node tools/repo/bin/pinned.mjs FILE [ARGS...]: runs FILE under the pinned Node and installs
// missing packages first.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ensureInstalled, reexecPinned } from '../src/bootstrap.mjs';

const [file, ...args] = process.argv.slice(2);
if (!file || !existsSync(file)) {
  process.stderr.write(
    file ? `There is no file ${resolve(file)}.\n` : 'Usage: pinned.mjs FILE [ARGS...]\n',
  );
  process.exit(2);
}
await ensureInstalled();
await reexecPinned(resolve(file), args);
