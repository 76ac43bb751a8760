import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isServiceError, ServiceError } from '@witan/contracts';
import { paragraph, writeDocx, writeZip } from '../../../test/documents/write-docx.ts';
import { toStream, writeFile, writePdf } from '@witan/testing/write-pdf';
import { MAX_DOCUMENT_BYTES } from '../documents/document-text.ts';
import { createDocumentReader, DEFAULT_DOCUMENT_READER } from './create-document-reader.ts';
import type { DocumentReader } from './create-document-reader.ts';
import { READING_LIMITS, timeLimitFor } from './document-process.ts';
import type { ReadingLimits } from './document-process-main.ts';

const HINT = { mediaType: '', fileName: '', owner: 'ws_1' };
const MEBIBYTE = 1024 * 1024;
const PDF = writePdf({ pages: [['One'], ['Two']], title: 'Two' });
const DOCX = writeDocx({ body: paragraph('Hello') });
const PAGE = Buffer.from('<!DOCTYPE html><title>a</title><p>Hello <b>you</b></p>');

const flushPending = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('hostile documents', () => {
  const processes: ChildProcess[] = [];
  const readers: DocumentReader[] = [];
  const onProcess = (message: unknown): unknown =>
    processes.push((message as { process: ChildProcess }).process);
  const open = (limits: Partial<ReadingLimits> = {}): DocumentReader => {
    const settings = { ...DEFAULT_DOCUMENT_READER, limits: { ...READING_LIMITS, ...limits } };
    readers.push(createDocumentReader(settings));
    return readers.at(-1)!;
  };
  beforeEach(() => subscribe('child_process', onProcess));
  afterEach(async () => {
    unsubscribe('child_process', onProcess);
    for (const reader of readers.splice(0)) await reader.close();
    for (const { exitCode, signalCode } of processes.splice(0)) {
      expect(exitCode ?? signalCode).not.toBeNull();
    }
  });
  const tooLarge = expect.objectContaining({ reason: 'REQUEST_TOO_LARGE' });

  it('are rejected if they are too long or take too long', async () => {
    const { readDocument } = open({ timeMs: 1 });
    await expect(readDocument(Buffer.alloc(MAX_DOCUMENT_BYTES + 1), HINT)).rejects.toEqual(
      tooLarge,
    );
    await expect(readDocument(PDF, HINT)).rejects.toEqual(tooLarge);
  });

  it('are rejected if decompression exceeds the memory limit', async () => {
    const { readDocument } = open({ processBytes: 192 * MEBIBYTE });
    const piece = deflateRawSync(Buffer.alloc(MEBIBYTE, ' '), {
      finishFlush: constants.Z_FULL_FLUSH,
    });
    const compressed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array(4000).fill(piece)]);
    const objects = [
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Kids [10 0 R] /Count 1 >>'],
      [10, '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 11 0 R >>'],
    ] as const;
    const numbered = objects.map(([number, text]) => [number, Buffer.from(text)] as const);
    const bomb = writeFile(new Map([...numbered, [11, toStream(compressed)]]), '');
    await expect(readDocument(bomb, HINT)).rejects.toEqual(tooLarge);
  });

  it('are rejected if a ZIP is too large or has too many files', async () => {
    const { readDocument } = open();
    const body = paragraph('x').repeat(100_000);
    const declared = writeDocx({ body, claim: 300 * MEBIBYTE });
    await expect(readDocument(declared, HINT)).rejects.toEqual(tooLarge);
    const underdeclared = writeDocx({ body, claim: 1000 });
    await expect(readDocument(underdeclared, HINT)).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
    });
    const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`f${n}`, '']));
    await expect(readDocument(writeZip(files), HINT)).rejects.toEqual(tooLarge);
  });

  it('are rejected if they fill the heap', async () => {
    const { readDocument } = open({ heapBytes: 16 * MEBIBYTE });
    const page = Buffer.from(`<!DOCTYPE html>${'<p>a b c d e f g h '.repeat(MEBIBYTE)}`);
    await expect(readDocument(page, HINT)).rejects.toEqual(tooLarge);
  });

  it('are rejected if they nest too deeply', async () => {
    const { readDocument } = open();
    const page = Buffer.from(`<!DOCTYPE html>${'<b>'.repeat(MEBIBYTE)}`);
    await expect(readDocument(page, HINT)).rejects.toEqual(tooLarge);
    const body = '<w:p>'.repeat(2000);
    await expect(readDocument(writeDocx({ body }), HINT)).rejects.toEqual(tooLarge);
  });

  it('cannot declare entities', async () => {
    const { readDocument } = open();
    const body = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(99)}"><!ENTITY b "&a;&a;&a;">]>${paragraph('&b; it is')}`;
    expect((await readDocument(writeDocx({ body }), HINT)).text).toBe('&b; it is');
  });

  it('are no longer read when the caller leaves', async () => {
    const { readDocument } = open();
    const cancelled = new ServiceError('CANCELLED', 'gone');
    const page = Buffer.from(`<!DOCTYPE html>${'<p>word '.repeat(MEBIBYTE)}`);
    const controller = new AbortController();
    const readings = [1, 2, 3].map(() => readDocument(page, HINT, controller.signal));
    const last = readDocument(PAGE, HINT);
    controller.abort(cancelled);
    for (const reading of readings) await expect(reading).rejects.toBe(cancelled);
    await expect(last).resolves.toMatchObject({ title: 'a' });
    await expect(readDocument(PAGE, HINT, controller.signal)).rejects.toBe(cancelled);
  });

  it('wait in a limited queue and are rejected when the service stops', async () => {
    const { processes: processesMax, waiting } = DEFAULT_DOCUMENT_READER;
    const reader = open();
    const read = (owner: string): Promise<unknown> =>
      reader.readDocument(PAGE, { ...HINT, owner }).catch((error: unknown) => error);
    const unavailable = expect.objectContaining({ reason: 'UNAVAILABLE' });
    // The first owner fills all slots except one and half of the queue; the second gets the last
    // slot and half of the rest of the queue.
    const reads = Array.from({ length: processesMax - 1 + waiting / 2 }, () => read('ws_1'));
    expect(await read('ws_1')).toEqual(unavailable);
    reads.push(...Array.from({ length: 1 + waiting / 4 }, () => read('ws_2')));
    expect(await read('ws_2')).toEqual(unavailable);
    reads.push(read('ws_3'));
    await reader.close();
    expect(await Promise.all(reads)).toEqual(reads.map(() => unavailable));
    expect(await read('ws_4')).toEqual(unavailable);
  });

  it('are read round-robin among workspaces', async () => {
    const reader = createDocumentReader({ processes: 1, waiting: 16, limits: READING_LIMITS });
    readers.push(reader);
    const order: string[] = [];
    const read = async (owner: string): Promise<void> => {
      await reader.readDocument(PAGE, { ...HINT, owner });
      order.push(owner);
    };
    const reads = ['many', 'many', 'many', 'many', 'some', 'some', 'one'].map(read);
    await Promise.all(reads);
    expect(order).toEqual(['many', 'many', 'some', 'one', 'many', 'some', 'many']);
  });

  it('of one workspace never use all processes', async () => {
    const started: string[] = [];
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const settings = { ...DEFAULT_DOCUMENT_READER, processes: 2 };
    const reader = createDocumentReader(settings, async (task) => {
      started.push(task.hint.fileName);
      const gate = Promise.withResolvers<void>();
      gates.set(task.hint.fileName, gate);
      await gate.promise;
      return { text: '', title: '', mediaType: 'application/pdf', chunks: [] };
    });
    readers.push(reader);
    const read = (owner: string, fileName: string): Promise<unknown> =>
      reader.readDocument(PDF, { ...HINT, owner, fileName });
    const hostile = [1, 2, 3, 4, 5, 6].map((n) => read('ws_b', `b${n}`));
    await flushPending();
    expect(started).toEqual(['b1']);
    const small = read('ws_a', 'a1');
    await flushPending();
    expect(started).toEqual(['b1', 'a1']);
    gates.get('a1')!.resolve();
    await small;
    await flushPending();
    expect(started).toEqual(['b1', 'a1']);
    for (let n = 1; n <= 6; n += 1) {
      gates.get(`b${n}`)!.resolve();
      await hostile[n - 1];
      await flushPending();
    }
    expect(started).toEqual(['b1', 'a1', 'b2', 'b3', 'b4', 'b5', 'b6']);
  });

  it.each([
    [120 * 1024, 12_343.75],
    [MEBIBYTE, 30_000],
    [MAX_DOCUMENT_BYTES, 60_000],
  ])('have a time limit that grows with their size: %d bytes', (bytes, timeMs) => {
    expect(timeLimitFor(bytes, READING_LIMITS)).toBe(timeMs);
  });

  it.each([
    ['PDF', PDF],
    ['DOCX', DOCX],
    ['HTML', PAGE],
  ])('are either read or rejected when bytes are corrupted: %s', async (_name, valid) => {
    const { readDocument } = open();
    let seed = 1;
    const next = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let run = 0; run < 5; run += 1) {
      const bytes = Buffer.from(valid);
      for (let change = next(8); change >= 0; change -= 1)
        bytes[8 + next(bytes.length - 8)] = next(256);
      const cut = next(3) === 0 ? bytes.subarray(0, 8 + next(bytes.length - 8)) : bytes;
      const outcome = await readDocument(cut, HINT).catch((error: unknown) => error);
      // A harmless mutation gives chunks; every other one must give a `ServiceError`.
      expect('chunks' in (outcome as object) || isServiceError(outcome)).toBe(true);
    }
  });
});
