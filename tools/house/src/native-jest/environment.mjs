// Jest's environment for tests that run as the services do: in Node itself. Nothing is made for a
// file but fake timers and mocks; what a file changed of the process is put back after it.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import process from 'node:process';

/** How long undici's clock waits from tick to tick (its lib/util/timers.js), in milliseconds. */
const UNDICI_TICK_MS = 499;

/** That clock starts whenever another file's connection is closed, and is no timer of the test. */
class FakeTimers extends ModernFakeTimers {
  getTimerCount() {
    const timers = this._clock?.timerHeap?.timers ?? [];
    return super.getTimerCount() - timers.filter(({ delay }) => delay === UNDICI_TICK_MS).length;
  }
}

export default class NativeEnvironment {
  global = globalThis;
  #kept = { env: { ...process.env }, exit: process.exit, console: globalThis.console };

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new FakeTimers({ config: projectConfig, global: globalThis });
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
