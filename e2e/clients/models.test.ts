import Anthropic, { NotFoundError as MessagesNotFound } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { respondWith } from '@witan/testing';
import OpenAI, { NotFoundError as ChatNotFound } from 'openai';
import { CHAT_ERROR, CHAT_MODEL, CHAT_MODELS } from '../conformance/chat-schemas.ts';
import { checkSchema } from '../conformance/check-schema.ts';
import { MESSAGE_ERROR, MESSAGE_MODEL, MESSAGE_MODELS } from '../conformance/message-schemas.ts';
import type { Schema } from '../conformance/schema.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';

/**
 * A model name like those of aggregators; client libraries percent-encode its slash but not its
 * colon.
 */
const NAME_WITH_SLASH = 'vendor/model-1:free';
const MODEL_NAMES = ['service-auto', 'service-agent', 'service-sensitive', NAME_WITH_SLASH];

describe('models', () => {
  let setup: ClientSetup;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
    const { baseUrl, apiKey } = setup.fixture.system;
    const { fetch } = setup.recorder;
    openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, fetch, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: baseUrl, apiKey, fetch, maxRetries: 0 });
    // The gateway caches each vendor's list of models for a minute, so one script per vendor
    // suffices.
    const list = respondWith({ body: { data: [{ id: NAME_WITH_SLASH }] } });
    for (let vendor = 0; vendor < 2; vendor += 1) {
      setup.fixture.provider.script(list, { path: '/v1/models' });
    }
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  const expectSchema = async (schema: Schema, status = 200): Promise<void> => {
    const call = setup.lastCall();
    await call.ended;
    expect([call.status, checkSchema(schema, JSON.parse(call.bytes().toString()))]).toEqual([
      status,
      [],
    ]);
  };

  it('are listed for the openai client', async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(MODEL_NAMES));
    expect(new Set(ids).size).toBe(ids.length);
    await expectSchema(CHAT_MODELS);
  });

  it('are listed for @anthropic-ai/sdk', async () => {
    const ids: string[] = [];
    for await (const { id } of anthropic.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(MODEL_NAMES));
    expect(new Set(ids).size).toBe(ids.length);
    await expectSchema(MESSAGE_MODELS);
  });

  it.each(MODEL_NAMES)('are found by name: %s', async (name) => {
    expect(await openai.models.retrieve(name)).toMatchObject({ id: name, object: 'model' });
    await expectSchema(CHAT_MODEL);
    expect(await anthropic.models.retrieve(name)).toMatchObject({ id: name, type: 'model' });
    await expectSchema(MESSAGE_MODEL);
  });

  it('are not found by unknown names', async () => {
    await expect(openai.models.retrieve('nobody/knows')).rejects.toBeInstanceOf(ChatNotFound);
    await expectSchema(CHAT_ERROR, 404);
    await expect(anthropic.models.retrieve('nobody/knows')).rejects.toBeInstanceOf(
      MessagesNotFound,
    );
    await expectSchema(MESSAGE_ERROR, 404);
  });
});
