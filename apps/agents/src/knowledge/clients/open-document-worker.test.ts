import { describe, expect, it } from '@jest/globals';
import { invalidRequest, unavailable } from '@witan/contracts';
import type { DocumentQueue, LeasedDocument } from '../document.ts';
import type { ReadDocument } from '../documents/document-text.ts';
import { openDocumentWorker } from './open-document-worker.ts';
import type { DocumentWorkerDeps } from './open-document-worker.ts';

const documentOf = (number: number): LeasedDocument => ({
  workspaceId: 'ws_1',
  id: `knd_${number}`,
  sourceId: 'kns_1',
  lease: `lease ${number}`,
  attempts: 1,
  givenTitle: 'Named',
  fileName: '',
  mediaType: 'text/plain',
  content: Buffer.from('x'),
});

const read: ReadDocument = async () => ({
  mediaType: 'text/plain',
  title: 'x',
  text: 'x',
  chunks: [],
});

const runWorker = async (
  documents: number,
  {
    renew = async () => true,
    ...deps
  }: Partial<DocumentWorkerDeps & Pick<DocumentQueue, 'renew'>> = {},
): Promise<string[]> => {
  const log: string[] = [];
  const allRead = Promise.withResolvers<void>();
  let claimCount = 0;
  const queue: DocumentQueue = {
    claim: async () => (claimCount < documents ? documentOf((claimCount += 1)) : undefined),
    renew,
    finish: async ({ id }) => {
      log.push(`finish ${id}`);
      return true;
    },
    fail: async ({ id }) => void log.push(`fail ${id}`),
    release: async ({ id }) => void log.push(`give back ${id}`),
  };
  const worker = openDocumentWorker({
    queue,
    readDocument: read,
    newId: (prefix) => `${prefix}_1`,
    purge: async () => {
      log.push('purge');
      if (claimCount === documents) allRead.resolve();
      return false;
    },
    onFailure: () => log.push('failure'),
    pollIntervalMs: 5,
    ...deps,
  });
  await allRead.promise;
  await worker.stop();
  return log.slice(0, 2 * documents);
};

describe('openDocumentWorker', () => {
  it('purges deleted rows between documents', async () => {
    expect(await runWorker(2)).toEqual(['finish knd_1', 'purge', 'finish knd_2', 'purge']);
  });

  it.each([
    [
      'marks an invalid document as failed',
      invalidRequest('The document is damaged.'),
      'fail knd_1',
    ],
    [
      'releases a document when the reader is overloaded',
      unavailable('Too many wait.'),
      'give back knd_1',
    ],
  ])('%s', async (_name, error, ending) => {
    const log = await runWorker(1, { readDocument: () => Promise.reject(error) });
    expect(log[0]).toBe(ending);
  });

  it('does not wait for a renewal that hangs before it reads the next document', async () => {
    const renewed = Promise.withResolvers<void>();
    const log = await runWorker(2, {
      leaseMs: 3,
      renew: () => {
        renewed.resolve();
        return Promise.withResolvers<boolean>().promise;
      },
      readDocument: async (...document) => {
        await renewed.promise;
        return await read(...document);
      },
    });
    expect(log).toEqual(['finish knd_1', 'purge', 'finish knd_2', 'purge']);
  });

  it('continues when purging fails', async () => {
    let purges = 0;
    const allFinished = Promise.withResolvers<void>();
    const finished: string[] = [];
    let claimCount = 0;
    const worker = openDocumentWorker({
      queue: {
        claim: async () => (claimCount < 3 ? documentOf((claimCount += 1)) : undefined),
        renew: async () => true,
        finish: async ({ id }) => {
          if (finished.push(id) === 3) allFinished.resolve();
          return true;
        },
        fail: async () => undefined,
        release: async () => undefined,
      },
      readDocument: read,
      newId: (prefix) => `${prefix}_1`,
      purge: () => Promise.reject(new Error(`The database is unavailable ${(purges += 1)}.`)),
      onFailure: () => undefined,
      // Long enough that the worker does not poll during the test.
      pollIntervalMs: 2_000_000,
    });
    await allFinished.promise;
    await worker.stop();
    expect(finished).toEqual(['knd_1', 'knd_2', 'knd_3']);
  });
});
