// `@jest/globals` for tests that run in Node's main context. Modules are imported once per worker
// but tests run file by file, so each export forwards to the current file.

let file;

export const setFile = (next) => {
  file = next;
};

const SET_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

const globalOf = (name) => () => file.globals[name];
const mockerMethod =
  (name) =>
  (...args) =>
    file.moduleMocker[name](...args);
const timersMethod =
  (name) =>
  (...args) =>
    file.fakeTimers[name](...args);

/** Returns a proxy, so that members such as `it.each` are read at each use. */
const createForwarder = (find) =>
  new Proxy(function forwarded() {}, {
    apply: (_target, self, args) => Reflect.apply(find(), self, args),
    get: (_target, key) => find()[key],
  });

export const describe = createForwarder(globalOf('describe'));
export const it = createForwarder(globalOf('it'));
export const test = it;
export const expect = createForwarder(globalOf('expect'));
export const beforeAll = createForwarder(globalOf('beforeAll'));
export const beforeEach = createForwarder(globalOf('beforeEach'));
export const afterAll = createForwarder(globalOf('afterAll'));
export const afterEach = createForwarder(globalOf('afterEach'));

export const jest = {
  fn: mockerMethod('fn'),
  spyOn: mockerMethod('spyOn'),
  restoreAllMocks: mockerMethod('restoreAllMocks'),
  useFakeTimers: timersMethod('useFakeTimers'),
  useRealTimers: timersMethod('useRealTimers'),
  advanceTimersByTime: timersMethod('advanceTimersByTime'),
  advanceTimersByTimeAsync: timersMethod('advanceTimersByTimeAsync'),
  setTimeout: (timeoutMs) => {
    globalThis[SET_TIMEOUT] = timeoutMs;
  },
};
