// Jest runtime (option `runtime`) in which Node imports modules once per worker; jest-runtime would
// link the whole graph again for each file. Not supported: module mocks and a module registry per
// file.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setFile } from './jest-globals.mjs';
import { startCoverage, takeCoverage } from './v8-coverage.mjs';

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
  #rootDir;
  #coverage = [];

  constructor(config, environment) {
    this.#environment = environment;
    this.#rootDir = config.rootDir;
  }

  /** Jest loads jest-circus by this method, and every test file needs a fresh copy of it. */
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

  async collectV8Coverage() {
    await startCoverage();
  }

  async stopCollectingV8Coverage() {
    this.#coverage = await takeCoverage(this.#rootDir);
  }

  getAllV8CoverageInfoCopy() {
    return this.#coverage;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
}
