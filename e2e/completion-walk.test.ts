import { Session } from 'node:inspector/promises';
import { expect, it } from '@jest/globals';
import { answerWith } from '@witan/testing';
import { PING } from './http-client.ts';
import { openFixture } from './open-fixture.ts';

const FILES_MAX = 123;
/** Calls of which only the files are counted that every one ran: timers run other files as well. */
const MEASURED_CALLS = 5;
const OWN_SOURCE = /\/((?:apps|libs)\/(?!testing\/)[^/]+\/src\/[^?]+)/;
/** Calls before the measured one, so that caches are filled and lazy modules loaded. */
const WARM_UP_CALLS = 3;

it('a streamed completion in one process runs code of a limited number of files', async () => {
  await using fixture = await openFixture({ fallback: answerWith({ content: 'pong' }) });
  const complete = () => fixture.client.complete({ ...PING, stream: true });
  for (let call = 0; call < WARM_UP_CALLS; call += 1) await complete();
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const takeFiles = async (): Promise<Set<string>> => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return new Set(
        result
          .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
          .flatMap(({ url }) => OWN_SOURCE.exec(url)?.[1] ?? []),
      );
    };
    await takeFiles();
    const filesOfCalls: Set<string>[] = [];
    while (filesOfCalls.length < MEASURED_CALLS) {
      await complete();
      filesOfCalls.push(await takeFiles());
    }
    const [firstFiles, ...others] = filesOfCalls;
    const files = [...firstFiles!].filter((file) => others.every((some) => some.has(file)));
    expect(files).toContain('apps/llm-gateway/src/completion/complete.ts');
    expect(files.length).toBeLessThanOrEqual(FILES_MAX);
  } finally {
    session.disconnect();
  }
});
