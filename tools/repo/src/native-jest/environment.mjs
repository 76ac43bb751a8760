// Jest environment without a vm context: tests run in Node's main context, as the services do. Each
// file has separate fake timers and mocks; its changes to `process.env`, `process.exit` and
// `console` are undone afterwards.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import process from 'node:process';
import timersPromises from 'node:timers/promises';
import { runningFile } from './running-file.ts';

/** Fake timers under which code of other test files, which may still end, waits in real time. */
class FakeTimers extends ModernFakeTimers {
  #file;

  constructor(options, file) {
    super(options);
    this.#file = file;
  }

  useFakeTimers(config) {
    const delay = timersPromises.setTimeout;
    super.useFakeTimers(config);
    const fakeDelay = timersPromises.setTimeout;
    timersPromises.setTimeout = (...args) =>
      (runningFile.getStore() === this.#file ? fakeDelay : delay)(...args);
  }
}

export default class NativeEnvironment {
  global = globalThis;
  #savedGlobals = { env: { ...process.env }, exit: process.exit, console: globalThis.console };

  constructor({ projectConfig }) {
    runningFile.enterWith(this);
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new FakeTimers({ config: projectConfig, global: globalThis }, this);
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    clearCircusState();
    const { env, exit, console } = this.#savedGlobals;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    globalThis.console = console;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

/** Descriptions of the global symbols in which jest-circus stores the state of a test file. */
const PER_FILE_SYMBOLS = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']);

const clearCircusState = () => {
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (PER_FILE_SYMBOLS.has(key.description ?? '')) delete globalThis[key];
  }
};
