import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { responses } from '@witan/dialects';
import type { RouteCall } from '../../http/route.ts';
import { openResponseWriter } from './response-writer.ts';

const OPENED = {
  ...{ status: 200, streamed: true, neutral: false, headers: {}, droppedParams: [] },
  ...{ proofId: 'pf_1', model: 'gpt-5', provider: 'openai', providerMs: 0 },
  promptTokensEstimate: 0,
};
const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const CREATED = frame({ type: 'response.created', sequence_number: 0, response: { id: 'r' } });
const DELTA = frame({ type: 'response.output_text.delta', sequence_number: 1, delta: 'a' });

const open = () => {
  const response = Object.assign(new PassThrough(), {
    ...{ locals: {}, headersSent: false, status: () => {}, setHeader: () => {} },
    flushHeaders: () => {},
  });
  const signal = new AbortController().signal;
  const call = { body: {}, response, signal } as unknown as RouteCall;
  const writer = openResponseWriter(responses, call);
  writer.opened(OPENED);
  return writer;
};

describe('the frames that were sent', () => {
  it.each([
    ['a comment before the first event', [': hello\n\n', CREATED, DELTA]],
    ['a comment after an event', [CREATED, DELTA, ': keep-alive\n\n']],
    ['an event without a number', [CREATED, DELTA, frame({ type: 'ping' })]],
  ])('number the failure of a stream with %s', (_name, frames) => {
    const writer = open();
    for (const text of frames) void writer.bytes(Buffer.from(text));
    const failure = { reason: 'UNAVAILABLE', message: 'x', fields: {} } as const;
    const text = responses.encodeErrorFrame(failure, { requestId: 'r', sent: writer.sent });
    expect(text).toContain('"type":"response.failed"');
    expect(text).toContain('"sequence_number":2');
  });
});
