/**
 * Installs the packages of a clone and runs programs under the pinned Node. Plain JavaScript for
 * Node 20 without dependencies, because it runs before the installation.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withInstallLock } from './install-lock.mjs';
import { openProgress } from './progress.mjs';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Time between two reports of an installation: short where a line is replaced by the next. */
const PROGRESS_MS = process.stderr.isTTY ? 1_000 : 10_000;

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Settings that would make `npm ci` omit development tools or install elsewhere. */
const UNWANTED_ENV = /^(node_env|npm_config_(omit|only|production|workspaces?|local_prefix))$/i;

/**
 * Makes `node_modules` match `package-lock.json`, including development tools and the pinned Node;
 * runs `npm ci` if necessary. Several processes may call it concurrently. On failure it prints the
 * cause and exits with code 1.
 */
export async function ensureInstalled({ root = ROOT, progressMs = PROGRESS_MS } = {}) {
  try {
    if (isInstalled(root)) return;
    const interrupted = await withInstallLock(root, (addHolder) =>
      isInstalled(root) ? undefined : install(root, addHolder, progressMs),
    );
    if (interrupted) process.kill(process.pid, interrupted);
  } catch (error) {
    fail(error.message);
  }
}

/**
 * Returns true if the pinned Node exists and npm's record of the last completed installation
 * matches the lock file; optional packages may be missing. npm writes that record last, so an
 * interrupted installation does not count.
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

/**
 * Resolves to the signal that interrupted the installation, if any. Throws if npm fails or does not
 * install the pinned Node.
 */
async function install(root, addHolder, progressMs) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const progress = openProgress();
  const countPackages = createPackageCounter(root);
  const report = () => progress.show(`installing ${countPackages()}, ${seconds()}`);
  report();
  const progressTimer = setInterval(report, progressMs);
  const result = await runNpmCi(root, addHolder).finally(() => {
    clearInterval(progressTimer);
    progress.end();
  });
  if (result.signal) {
    progress.end('installation interrupted; the next command installs again');
    return result.signal;
  }
  if (result.code !== 0) {
    process.stderr.write(`${result.output}\n`);
    throw new Error(
      `npm ci ended with code ${result.code}; its output is above. ` +
        `${toAdvice(result.output, root)} Then run the same command again.`,
    );
  }
  if (!existsSync(pinnedNode(root))) {
    throw new Error(
      'npm installed the packages but not the pinned Node, because install scripts are off ' +
        '(ignore-scripts). Run `npm rebuild node --ignore-scripts=false` and try again.',
    );
  }
  progress.end(`installed the packages of package-lock.json in ${seconds()}`);
  return undefined;
}

/** Returns a function that describes how many of the packages npm has unpacked so far. */
function createPackageCounter(root) {
  const wanted = readPackages(join(root, 'package-lock.json')) ?? {};
  const paths = Object.entries(wanted)
    .filter(([path, { optional, link }]) => path.includes('node_modules/') && !optional && !link)
    .map(([path]) => join(root, path, 'package.json'));
  return () => {
    const count = paths.filter((path) => existsSync(path)).length;
    const unpacked = `${count} of ${paths.length} packages`;
    // npm fetches most packages before it unpacks the first, and runs their scripts after the last.
    if (count === 0) return `${unpacked} (fetching them)`;
    return count === paths.length ? `${unpacked} (running install scripts)` : unpacked;
  };
}

const ADVICE = [
  [/ENOSPC/, 'The disk is full: the packages need about 1 GB.'],
  [
    /EACCES|EPERM|EROFS/,
    'A folder is not writable: check its owner, and that of `npm config get cache`.',
  ],
  [/EINTEGRITY|ENOTCACHED/, "npm's cache is damaged: run `npm cache verify`."],
  [/E40[137]\b/, 'The package registry refuses the request: check `npm config get registry`.'],
  [/E404|ETARGET/, 'The package registry lacks a package: check `npm config get registry`.'],
  [
    /ENOTFOUND|EAI_AGAIN|E(?:CONN|TIMEDOUT|SOCKET|HOSTUNREACH|NETUNREACH)|network/,
    'npm does not reach its package registry: check the network, HTTPS_PROXY and `npm ping`.',
  ],
];

/** Returns the likely cause of npm's failure, and what to do, judged by the codes in its output. */
function toAdvice(output, root) {
  const found = ADVICE.find(([pattern]) => pattern.test(output));
  return found?.[1] ?? `Check that npm reaches its package registry and that ${root} is writable.`;
}

/** Packages in npm's cache are not checked again: the lock file has their hashes. */
const NPM_CI = ['ci', '--include=dev', '--include=optional', '--prefer-offline', '--no-progress'];

function runNpmCi(root, addHolder) {
  const child = spawn('npm', NPM_CI, {
    cwd: root,
    env: installEnv(root),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => chunks.push(data));
  const stopForwarding = forwardStopSignals(child);
  return new Promise((resolve, reject) => {
    child.on('spawn', () => addHolder(child.pid).catch(reject));
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

/**
 * Returns the environment for npm, which must run under the system's Node, because it replaces the
 * pinned one.
 */
function installEnv(root) {
  const modules = join(root, 'node_modules');
  const env = Object.entries(process.env).filter(([name]) => !UNWANTED_ENV.test(name));
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => !part.startsWith(modules));
  return { ...Object.fromEntries(env), PATH: path.join(delimiter) };
}

const pinnedNode = (root) => join(root, 'node_modules', '.bin', 'node');

/**
 * Runs the TypeScript program `file` with `args` under the pinned Node: in this process if it
 * already runs on it, otherwise in a child with `flags` of Node, whose stdio, signals and exit code
 * are passed through.
 * Programs start when they are loaded and read `process.argv`.
 */
export async function reexecPinned(file, args, { root = ROOT, flags = [] } = {}) {
  if (isPinned(root)) {
    process.env.NODE_COMPILE_CACHE = compileCache(root);
    nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv = [process.execPath, file, ...args];
    await import(pathToFileURL(file).href);
    return;
  }
  exitWithResult(await spawnPinned([...flags, file, ...args], { root }));
}

/**
 * Folder of the cache of compiled TypeScript, which shortens the start of programs. Child processes
 * share it through the environment. NODE_DISABLE_COMPILE_CACHE=1 disables it.
 */
const compileCache = (root) =>
  process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node');

/**
 * Returns true for the pinned minor version, in any patch release, and for later minor versions of
 * the same major, which have the same language and flags.
 */
function isPinned(root) {
  const [major, minor] = pinnedVersion(root).split('.').map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  return ownMajor === major && ownMinor >= minor;
}

/**
 * Reads the version from package.json, because the pinned Node may not be installed: an image can
 * bring its own Node.
 */
const pinnedVersion = (root) =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;

/**
 * Runs the pinned Node with `args` as a child with this process's stdio and stop signals;
 * `onMessage(message, child)` receives its IPC messages. Resolves to `{ code, signal }` when it
 * exits. Without a working pinned Node it prints the cause and exits with code 1.
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

export function exitWithResult({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code ?? 1);
}

/**
 * Forwards stop signals to `child`. Returns a function that stops forwarding and returns the last
 * signal, if any. Does not forward Ctrl-C on a terminal, which reaches the whole process group: the
 * child would receive it twice and abort its graceful stop.
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

function fail(message) {
  process.stderr.write(`witan: ${message}\n`);
  process.exit(1);
}
