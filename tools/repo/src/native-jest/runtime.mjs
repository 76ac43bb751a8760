// Jest's runtime (its option `runtime`) for tests that run as the services do: modules are imported
// by Node itself, once for a worker, where jest-runtime links the whole graph anew for each file.
// What only jest-runtime can do is missing: module mocks, coverage, a registry for each file.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setFile } from './jest-globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('jest-globals.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: GLOBALS, format: 'module', shortCircuit: true }
      : next(specifier, context),
});

export default class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** Jest asks for jest-circus: every file gets a fresh copy, which holds that file's tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    return await import(pathToFileURL(path).href);
  }

  setGlobalsForRuntime(globals) {
    const { moduleMocker, fakeTimersModern } = this.#environment;
    setFile({ globals, moduleMocker, fakeTimers: fakeTimersModern });
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
}
