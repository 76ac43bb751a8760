/**
 * What makes a fresh clone run: this file is plain JavaScript for Node 20 and imports nothing that
 * has to be installed first.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withInstallLock } from './install-lock.mjs';

/** The repository's root folder. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** How often a running installation says how far it is. */
const PROGRESS_MS = 10_000;

/** Signals that ask a program to stop; a wrapper hands them on to the program that it runs. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Configuration that would make `npm ci` leave out tools, or install somewhere else. */
const UNWANTED_ENV = /^(node_env|npm_config_(omit|only|production|workspaces?|local_prefix))$/i;

/**
 * Guarantees that `node_modules` holds what `package-lock.json` names, development tools and the
 * pinned Node included; runs `npm ci` when it does not. Safe to call from several processes at
 * once. When it cannot, it says why on stderr and ends the process with code 1.
 */
export async function ensureInstalled({ root = ROOT, progressMs = PROGRESS_MS } = {}) {
  try {
    if (isInstalled(root)) return;
    const interrupted = await withInstallLock(root, (guard) =>
      isInstalled(root) ? undefined : install(root, guard, progressMs),
    );
    if (interrupted) process.kill(process.pid, interrupted);
  } catch (error) {
    fail(error.message);
  }
}

/**
 * True when npm's own record of the last completed installation agrees with the lock file. npm
 * writes that record last, so an interrupted installation does not count as one.
 */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!wanted) {
    throw new Error(`There is no package-lock.json in ${root}: this is not a complete checkout.`);
  }
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!present || !existsSync(pinnedNode(root))) return false;
  return Object.entries(wanted).every(
    ([path, entry]) => !path.includes('node_modules/') || isSame(entry, present[path]),
  );
}

/** Packages for other platforms are optional and absent; every other one must be the same. */
const isSame = (wanted, present) =>
  present
    ? present.version === wanted.version &&
      present.integrity === wanted.integrity &&
      (!wanted.link || present.resolved === wanted.resolved)
    : wanted.optional === true;

function readPackages(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text).packages;
  } catch (error) {
    const message = `${file} is not JSON (${error.message}). Restore it, or delete node_modules.`;
    throw new Error(message, { cause: error });
  }
}

/** Resolves to the signal that interrupted it, if one did; throws when npm could not do it. */
async function install(root, guard, progressMs) {
  const started = Date.now();
  process.stderr.write('witan: installing what package-lock.json names (npm ci) ... ');
  const ticking = setInterval(
    () => process.stderr.write(`${countPackages(root)} ... `),
    progressMs,
  );
  const result = await runNpmCi(root, guard).finally(() => clearInterval(ticking));
  if (result.signal) {
    process.stderr.write('interrupted\n');
    return result.signal;
  }
  if (result.code !== 0) {
    process.stderr.write(`failed\n${result.output}\n`);
    throw new Error(
      `npm ci ended with code ${result.code}; its output is above. Check that npm reaches its ` +
        `package registry and that ${root} is writable, then run the same command again.`,
    );
  }
  if (!existsSync(pinnedNode(root))) {
    process.stderr.write('incomplete\n');
    throw new Error(
      'npm installed the packages but not the pinned Node, because install scripts are off ' +
        '(ignore-scripts). Run `npm rebuild node --ignore-scripts=false` and try again.',
    );
  }
  process.stderr.write(`done in ${Math.round((Date.now() - started) / 1000)} s\n`);
  return undefined;
}

/** How much of the installation is there: npm itself says nothing while it works. */
function countPackages(root) {
  const wanted = readPackages(join(root, 'package-lock.json')) ?? {};
  const paths = Object.entries(wanted)
    .filter(([path, { optional }]) => path.includes('node_modules/') && !optional)
    .map(([path]) => path);
  const present = paths.filter((path) => existsSync(join(root, path, 'package.json')));
  return `${present.length} of ${paths.length} packages`;
}

/** Resolves to `{ code, signal, output }`; `output` is everything that npm printed. */
function runNpmCi(root, guard) {
  const child = spawn('npm', ['ci', '--include=dev', '--include=optional'], {
    cwd: root,
    env: installEnv(root),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => chunks.push(data));
  const stopForwarding = forwardStopSignals(child);
  return new Promise((resolve, reject) => {
    child.on('spawn', () => guard(child.pid).catch(reject));
    child.on('error', (error) => {
      stopForwarding();
      reject(new Error(`npm cannot be run (${error.code}). Install Node 20 or newer with npm.`));
    });
    child.on('close', (code, signal) => {
      const interrupted = stopForwarding();
      resolve({ code, signal: signal ?? interrupted, output: Buffer.concat(chunks).toString() });
    });
  });
}

/** npm must run on the machine's own Node: the pinned one is among what it replaces. */
function installEnv(root) {
  const modules = join(root, 'node_modules');
  const kept = Object.entries(process.env).filter(([name]) => !UNWANTED_ENV.test(name));
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => !part.startsWith(modules));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

const pinnedNode = (root) => join(root, 'node_modules', '.bin', 'node');

/**
 * Runs the TypeScript program `file` with `args` under the pinned Node: in this process when that
 * is what it runs on, else in a child whose stdio, signals and exit code become this process's.
 * Programs start when they are loaded and read `process.argv` as usual.
 */
export async function reexecPinned(file, args, { root = ROOT } = {}) {
  if (isPinned(root)) {
    process.env.NODE_COMPILE_CACHE = compileCache(root);
    nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv = [process.execPath, file, ...args];
    await import(pathToFileURL(file).href);
    return;
  }
  endLike(await spawnPinned([file, ...args], { root }));
}

/**
 * Where Node keeps what it made of TypeScript files, for every process that inherits the variable:
 * a service is loaded in two thirds of the time. NODE_DISABLE_COMPILE_CACHE=1 does without.
 */
const compileCache = (root) =>
  process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node');

/** The pinned major at the pinned version or later: the language and its flags are the same. */
function isPinned(root) {
  const [major, minor] = pinnedVersion(root).split('.').map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  return ownMajor === major && ownMinor >= minor;
}

/** From package.json, not from what is installed: an image may bring its own Node 24 instead. */
const pinnedVersion = (root) =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;

/**
 * Runs the pinned Node with `args` as a child that shares our stdio and gets our stop signals;
 * `onMessage(message, child)` receives what it sends over its IPC channel. Resolves to
 * `{ code, signal }` when it has ended. Without a working pinned Node it says so and ends this
 * process with code 1.
 */
export function spawnPinned(args, { root = ROOT, onMessage } = {}) {
  const bins = join(root, 'node_modules', '.bin');
  const child = spawn(pinnedNode(root), args, {
    stdio: onMessage ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache(root),
      PATH: [bins, process.env.PATH].filter(Boolean).join(delimiter),
    },
  });
  const stopForwarding = forwardStopSignals(child);
  if (onMessage) child.on('message', (message) => onMessage(message, child));
  return new Promise((resolve) => {
    child.on('error', (error) => {
      stopForwarding();
      fail(
        `The pinned Node cannot be run (${error.code}: ${pinnedNode(root)}). Run \`npm ci\` in ` +
          `${root}; it needs Linux with glibc, or macOS, on x64 or arm64. Elsewhere use your own ` +
          `Node ${pinnedVersion(root)}.`,
      );
    });
    child.on('exit', (code, signal) => {
      stopForwarding();
      resolve({ code, signal });
    });
  });
}

/** Ends this process the way a child ended: with its code, or by the same signal. */
export function endLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code ?? 1);
}

/**
 * Hands stop signals on to `child`. The returned function ends that and tells which signal came,
 * if any. At a terminal Ctrl-C already reaches the whole process group: handed on as well, it
 * would look like the second Ctrl-C that makes programs give up their orderly stop.
 */
function forwardStopSignals(child) {
  let received;
  const handlers = STOP_SIGNALS.map((signal) => {
    const handler = () => {
      received = signal;
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    return received;
  };
}

/** Says what is wrong and ends the process: nothing can run before this is put right. */
function fail(message) {
  process.stderr.write(`witan: ${message}\n`);
  process.exit(1);
}
