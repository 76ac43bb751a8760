// Jest environment without a vm context: tests run in Node's main context, as the services do. Each
// file has separate fake timers and mocks; its changes to `process.env`, `process.exit` and
// `console` are undone afterwards.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import process from 'node:process';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { runningFile } from './running-file.ts';

/** Interval in milliseconds of the timer that undici uses as its clock (lib/util/timers.js). */
const UNDICI_TICK_MS = 499;

/**
 * Fake timers whose count includes only timers of the test file, because closing connections of
 * other files and undici's clock may start timers meanwhile. Timers with the delay of undici's
 * clock are never counted.
 */
class FakeTimers extends ModernFakeTimers {
  #file;
  #uncountedTimers = new Set();

  constructor(options, file) {
    super(options);
    this.#file = file;
  }

  useFakeTimers(config) {
    const delay = timersPromises.setTimeout;
    super.useFakeTimers(config);
    this.#uncountedTimers.clear();
    // The fakes are also set on the module, for code that imports `node:timers`.
    for (const name of ['setTimeout', 'setInterval']) {
      this.#trackTimers(globalThis, name);
      this.#trackTimers(timers, name);
    }
    const fakeDelay = timersPromises.setTimeout;
    timersPromises.setTimeout = (...args) =>
      (runningFile.getStore() === this.#file ? fakeDelay : delay)(...args);
  }

  #trackTimers(module, name) {
    const fake = module[name];
    const tracked = (...args) => {
      const timer = fake(...args);
      if (runningFile.getStore() !== this.#file) this.#uncountedTimers.add(Number(timer));
      return timer;
    };
    module[name] = Object.assign(tracked, fake);
  }

  getTimerCount() {
    const pending = this._clock?.timerHeap?.timers ?? [];
    const isUncounted = ({ id, delay }) =>
      delay === UNDICI_TICK_MS || this.#uncountedTimers.has(id);
    return super.getTimerCount() - pending.filter(isUncounted).length;
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
