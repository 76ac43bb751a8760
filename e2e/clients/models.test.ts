import Anthropic, { NotFoundError as MessagesNotFound } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { respondWith } from '@witan/testing';
import OpenAI, { NotFoundError as ChatNotFound } from 'openai';
import { CHAT_ERROR, CHAT_MODEL, CHAT_MODELS } from '../conformance/chat-schemas.ts';
import { checkSchema } from '../conformance/check-schema.ts';
import { MESSAGE_ERROR, MESSAGE_MODEL, MESSAGE_MODELS } from '../conformance/message-schemas.ts';
import type { Schema } from '../conformance/schema.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';

/** A model name as aggregators use: client libraries percent-encode its slash but not its colon. */
const AWKWARD = 'vendor/model-1:free';
const NAMES = ['service-auto', 'service-agent', 'service-sensitive', AWKWARD];

describe('models', () => {
  let bench: Bench;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    bench = await openBench('in-process');
    const { baseUrl, apiKey } = bench.fixture.system;
    const { fetch } = bench.wire;
    openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, fetch, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: baseUrl, apiKey, fetch, maxRetries: 0 });
    // The gateway caches each vendor's list of models for a minute.
    const list = respondWith({ body: { data: [{ id: AWKWARD }] } });
    for (let vendor = 0; vendor < 2; vendor += 1) {
      bench.fixture.provider.script(list, { path: '/v1/models' });
    }
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const expectShape = async (schema: Schema, status = 200): Promise<void> => {
    const call = bench.lastCall();
    await call.ended;
    expect([call.status, checkSchema(schema, JSON.parse(call.bytes().toString()))]).toEqual([
      status,
      [],
    ]);
  };

  it('are listed for the openai client', async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(NAMES));
    expect(new Set(ids).size).toBe(ids.length);
    await expectShape(CHAT_MODELS);
  });

  it('are listed for @anthropic-ai/sdk', async () => {
    const ids: string[] = [];
    for await (const { id } of anthropic.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(NAMES));
    expect(new Set(ids).size).toBe(ids.length);
    await expectShape(MESSAGE_MODELS);
  });

  it.each(NAMES)('are found by name: %s', async (name) => {
    expect(await openai.models.retrieve(name)).toMatchObject({ id: name, object: 'model' });
    await expectShape(CHAT_MODEL);
    expect(await anthropic.models.retrieve(name)).toMatchObject({ id: name, type: 'model' });
    await expectShape(MESSAGE_MODEL);
  });

  it('are not found by unknown names', async () => {
    await expect(openai.models.retrieve('nobody/knows')).rejects.toBeInstanceOf(ChatNotFound);
    await expectShape(CHAT_ERROR, 404);
    await expect(anthropic.models.retrieve('nobody/knows')).rejects.toBeInstanceOf(
      MessagesNotFound,
    );
    await expectShape(MESSAGE_ERROR, 404);
  });
});
