import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { AssistResponseSchema } from '@witan/contracts';
import type { AssistanceService } from '@witan/contracts/services';
import { commit } from '@witan/proof';
import type { Client } from '@witan/service-kit';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import { aiCompleteRoute } from './ai-complete.ts';

let routes: OpenRoutes | undefined;
afterEach(async () => routes?.[Symbol.asyncDispose]());

type Request = Parameters<Client<typeof AssistanceService>['assist']>[0];

const openCompletion = async (ids: readonly string[] = ['own']) => {
  const seen: Request[] = [];
  const assistance = {
    assist: async (request: Request) => {
      seen.push(request);
      return create(AssistResponseSchema, {
        content: 'Yes.',
        usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4 },
        extracted: [{ category: 'goal', key: 'raise', value: '2M', confidence: 1 }],
        model: 'gpt-test',
        finishReason: 'length',
        droppedParams: ['temperature'],
        proofIds: ids.map((id) => (id === 'own' ? request.proofId! : id)),
      });
    },
  } as unknown as Client<typeof AssistanceService>;
  routes = await openRoutes([aiCompleteRoute(assistance, 1_000)]);
  const send = (body: object) => routes!.send('/v1/ai/complete', { body });
  return { send, seen };
};

const REQUEST_BODY = { systemPrompt: 'Be brief.', messages: [{ role: 'user', content: 'Well?' }] };

describe('a completion with supplementary data', () => {
  it('returns usage, facts and certificates', async () => {
    const { send, seen } = await openCompletion(['own', 'pf_2']);
    const response = await send(REQUEST_BODY);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        content: 'Yes.',
        finishReason: 'length',
        usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4 },
        extracted: [{ category: 'goal', key: 'raise', value: '2M', confidence: 1 }],
      },
    ]);
    const { proofId, requestSha256 } = seen[0]!;
    expect(requestSha256).toBe(commit(REQUEST_BODY));
    expect(response.headers.get('x-service-proof')).toBe(proofId);
    expect(response.headers.get('x-service-proofs')).toBe(`${proofId}, pf_2`);
    expect(response.headers.get('x-service-model')).toBe('gpt-test');
    expect(response.headers.get('x-service-dropped-params')).toBe('temperature');
  });

  it('names the certificate of the returned text, which is the first', async () => {
    const response = await (await openCompletion(['pf_2', 'own'])).send(REQUEST_BODY);
    expect(response.headers.get('x-service-proof')).toBe('pf_2');
  });

  it('does not set absent options', async () => {
    const { send, seen } = await openCompletion();
    await send(REQUEST_BODY);
    expect(seen[0]).toMatchObject({
      ...REQUEST_BODY,
      json: false,
      temperature: undefined,
      maxTokens: undefined,
      supplementary: [],
      extraction: undefined,
    });
  });

  it('passes on every option', async () => {
    const { send, seen } = await openCompletion();
    await send({
      ...REQUEST_BODY,
      json: true,
      temperature: 0,
      max_tokens: 9,
      supplementary: [{ category: 'crm', data: { seats: 40 }, priority: 'low' }],
      extraction: { source: 'crm', categories: ['goal'] },
    });
    expect(seen[0]).toMatchObject({
      json: true,
      temperature: 0,
      maxTokens: 9,
      supplementary: [{ category: 'crm', data: '{"seats":40}', isJson: true, priority: 'low' }],
      extraction: { source: 'crm', categories: ['goal'], persist: false },
    });
  });

  it.each([
    ['no prompt', { systemPrompt: undefined }, 'systemPrompt'],
    ['no messages', { messages: [] }, 'messages'],
    ['an unknown role', { messages: [{ role: 'tool', content: '' }] }, 'messages[0].role'],
    ['a temperature above 2', { temperature: 2.01 }, 'temperature'],
    ['no tokens', { max_tokens: 0 }, 'max_tokens'],
    ['an extraction without a source', { extraction: { categories: ['a'] } }, 'extraction.source'],
    [
      'an extraction without categories',
      { extraction: { source: 'a', categories: [] } },
      'extraction.categories',
    ],
    [
      'too much data',
      { supplementary: Array(33).fill({ category: 'c', data: '' }) },
      'supplementary',
    ],
    [
      'a message that is too long',
      { messages: [{ role: 'user', content: 'a'.repeat(32_001) }] },
      'messages[0].content',
    ],
  ])('is refused with %s', async (_name, changes, param) => {
    const { send, seen } = await openCompletion();
    const response = await send({ ...REQUEST_BODY, ...changes });
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param, seen]).toEqual([400, param, []]);
  });
});
