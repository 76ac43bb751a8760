// Jest's environment for tests that run as the services do: in Node itself. Nothing is made for a
// file but fake timers and mocks; what a file changed of the process is put back after it.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import process from 'node:process';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { runningFile } from './running-file.ts';

/** How long undici's clock waits from tick to tick (its lib/util/timers.js), in milliseconds. */
const UNDICI_TICK_MS = 499;

/**
 * Counts the timers of the test file alone: what another file left running, such as a connection
 * that is being closed, may start timers meanwhile, and so may undici's clock.
 */
class FakeTimers extends ModernFakeTimers {
  #file;
  #foreign = new Set();

  constructor(options, file) {
    super(options);
    this.#file = file;
  }

  useFakeTimers(config) {
    const delay = timersPromises.setTimeout;
    super.useFakeTimers(config);
    this.#foreign.clear();
    // The fakes are in Node's own modules too.
    for (const name of ['setTimeout', 'setInterval']) {
      this.#watch(globalThis, name);
      this.#watch(timers, name);
    }
    const fakeDelay = timersPromises.setTimeout;
    timersPromises.setTimeout = (...args) =>
      (runningFile.getStore() === this.#file ? fakeDelay : delay)(...args);
  }

  #watch(module, name) {
    const fake = module[name];
    const watched = (...args) => {
      const timer = fake(...args);
      if (runningFile.getStore() !== this.#file) this.#foreign.add(Number(timer));
      return timer;
    };
    module[name] = Object.assign(watched, fake);
  }

  getTimerCount() {
    const pending = this._clock?.timerHeap?.timers ?? [];
    const isOther = ({ id, delay }) => delay === UNDICI_TICK_MS || this.#foreign.has(id);
    return super.getTimerCount() - pending.filter(isOther).length;
  }
}

export default class NativeEnvironment {
  global = globalThis;
  #kept = { env: { ...process.env }, exit: process.exit, console: globalThis.console };

  constructor({ projectConfig }) {
    runningFile.enterWith(this);
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new FakeTimers({ config: projectConfig, global: globalThis }, this);
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    forgetCircus();
    const { env, exit, console } = this.#kept;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    globalThis.console = console;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest insists on the method. There is no context: files share the process's own. */
  getVmContext() {
    return null;
  }
}

/** What jest-circus keeps of a file under symbols of the global object; the next has its own. */
const OF_ONE_FILE = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']);

const forgetCircus = () => {
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (OF_ONE_FILE.has(key.description ?? '')) delete globalThis[key];
  }
};
