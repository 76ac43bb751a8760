import { describe, expect, it } from '@jest/globals';
import { createDetectorFactory } from '@witan/privacy';
import { checkModelName, createPrivacy } from './mask-request.ts';
import { createDetectors, maskJson } from './mask-json.ts';

const detectorFor = createDetectors({ createDetector: createDetectorFactory(), cacheBytes: 0 });
const privacy = createPrivacy({
  secretsKey: Buffer.alloc(32, 7),
  mask: (task) => maskJson(task, detectorFor),
  maskInWorker: async (task) => maskJson(task, detectorFor),
});
const check = (model: string): Promise<void> =>
  checkModelName(model, privacy, { workspaceId: 'ws_a', signal: new AbortController().signal });

describe('checkModelName', () => {
  it.each([
    'gpt-4o-2024-08-06',
    'ft:gpt-4o-mini-2024-07-18:acme:suffix:9abcDEF12',
    'claude-3-5-sonnet@20240620',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-5-v1:0',
    'projects/123456789012/locations/us-central1/endpoints/1234567890123456789',
    'accounts/fireworks/models/llama-v3p1-405b-instruct',
    'accounts/acme-12345678/deployedModels/llama-v3-8b-12345678',
    '@cf/meta/llama-3-8b-instruct',
    'hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M',
    'ep-20240612123456-abcde',
    '7f3c9a2e-1b4d-4e5f-8a9b-0c1d2e3f4a5b',
    'agent:ann-lee+knowledge',
    'http://localhost:8080/v1',
    'claude victor grace 通义',
    '{"a":1}',
  ])('accepts %s', async (model) => {
    await expect(check(model)).resolves.toBeUndefined();
  });

  it.each([
    ['ann.lee@example.com', 'EMAIL'],
    ['gpt-4o ssn 536-90-4399', 'NATIONAL_ID'],
    ['gpt-4o+4111 1111 1111 1111', 'CREDIT_CARD'],
    ['{"ann.lee@example.com":1}', 'EMAIL'],
    ['["DE89370400440532013000"]', 'IBAN'],
  ])('rejects %s without repeating it', async (model, category) => {
    const refusal = await check(model).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ reason: 'INVALID_REQUEST', fields: { param: 'model' } });
    expect(String(refusal)).toContain(category);
    expect(String(refusal)).not.toContain(model);
  });
});
