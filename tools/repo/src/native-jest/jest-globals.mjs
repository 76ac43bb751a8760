// What `@jest/globals` is to a test that runs in Node itself. A module is imported once for a
// worker, and its tests' file by file: each name leads to the file that runs now.

let file;

/** Says which file's tests are collected and run from now on. */
export const setFile = (next) => {
  file = next;
};

const SET_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

const now = (name) => () => file.globals[name];
const mocker =
  (name) =>
  (...args) =>
    file.moduleMocker[name](...args);
const timers =
  (name) =>
  (...args) =>
    file.fakeTimers[name](...args);

/** A function and its members (`it.each`, `describe.skip`), looked up when they are used. */
const forward = (find) =>
  new Proxy(function forwarded() {}, {
    apply: (_target, self, args) => Reflect.apply(find(), self, args),
    get: (_target, key) => find()[key],
  });

export const describe = forward(now('describe'));
export const it = forward(now('it'));
export const test = it;
export const expect = forward(now('expect'));
export const beforeAll = forward(now('beforeAll'));
export const beforeEach = forward(now('beforeEach'));
export const afterAll = forward(now('afterAll'));
export const afterEach = forward(now('afterEach'));

/** The parts of Jest's own object that the tests use. */
export const jest = {
  fn: mocker('fn'),
  spyOn: mocker('spyOn'),
  restoreAllMocks: mocker('restoreAllMocks'),
  useFakeTimers: timers('useFakeTimers'),
  useRealTimers: timers('useRealTimers'),
  advanceTimersByTime: timers('advanceTimersByTime'),
  advanceTimersByTimeAsync: timers('advanceTimersByTimeAsync'),
  getTimerCount: timers('getTimerCount'),
  /** For the tests of the file that runs now, in milliseconds. */
  setTimeout: (timeoutMs) => {
    globalThis[SET_TIMEOUT] = timeoutMs;
  },
};
