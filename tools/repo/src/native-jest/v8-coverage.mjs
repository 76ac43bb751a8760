// Coverage of one worker, in the form that Jest's reporter expects of a runtime.
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const PRODUCT = /^(apps|libs|tools)\/[^/]+\/src\/(?!gen\/).*(?<!\.test)\.ts$/;

let session;

/**
 * Starts counting at the first call. Counting continues to the end of the worker, because a module
 * that is compiled before has no counters for its branches.
 */
export const startCoverage = async () => {
  if (session) return;
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
};

/** Returns the coverage since the last call of the product's sources, which `PRODUCT` matches. */
export const takeCoverage = async (rootDir) => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file://'))
    .map((script) => ({ ...script, url: fileURLToPath(script.url) }))
    .filter(({ url }) => PRODUCT.test(url.slice(rootDir.length).replace(/^\//, '')))
    .map((script) => ({ result: script }));
};
