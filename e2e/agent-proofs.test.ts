import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runVerify } from '@witan/proof/cli/verify';
import { answerWith } from '@witan/testing';
import type { Answer } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const JSON_ANSWER = '{"thoughts":"hm","verdict":"no – “never”"}';
const TEXT_ANSWER =
  '<thinking>hm</thinking>\nNo.  <MEMORY key="a" type="fact">x</MEMORY> Never – 😀';
const JSON_REQUEST = { responseFormat: { type: 'json', fields: { verdict: 'yes or no' } } };
const REFLECTION = { options: { reflection: true } };
const TEXT_PIECES = Array.from(TEXT_ANSWER);

const CASES: [name: string, body: object, content: string | string[]][] = [
  ['text', {}, 'No.'],
  ['text with tags, in one-character pieces', {}, TEXT_PIECES],
  ['text after thoughts', REFLECTION, TEXT_PIECES],
  ['text with invalid characters', {}, 'a\0b\ud800'],
  ['JSON', JSON_REQUEST, JSON_ANSWER],
  ['JSON that contains thoughts', { ...JSON_REQUEST, ...REFLECTION }, JSON_ANSWER],
  ['JSON in a code fence', JSON_REQUEST, `So:\n\`\`\`json\n${JSON_ANSWER}\n\`\`\``],
];

describe('certificates of agent chats', () => {
  let fixture: Fixture;
  let key: string;
  let agentId: string;

  beforeAll(async () => {
    fixture = await openFixture({
      env: { WITAN_MODEL_FULL: 'gpt-full', WITAN_MODEL_SMALL: 'gpt-small' },
    });
    key = (await fixture.client.send('/v1/gateway/public-key')).text;
    const body = { name: 'Ann', systemPrompt: 'You doubt.' };
    const { json } = await fixture.client.send('/v1/agents', { body });
    agentId = (json as { agent: { id: string } }).agent.id;
  });
  afterAll(async () => fixture[Symbol.asyncDispose]());

  /**
   * Runs `witan verify` offline on a request body and its response; returns exit code and last line
   * of output.
   */
  const verify = async (body: string, answer: Answer): Promise<unknown[]> => {
    const proofPath = `/v1/proofs/${answer.headers.get('x-service-proof')}`;
    const certificate = (await fixture.client.send(proofPath)).bytes;
    const files: Record<string, Uint8Array> = {
      certificate,
      key: Buffer.from(key),
      request: Buffer.from(body),
      response: answer.bytes,
    };
    const outputLines: string[] = [];
    const flags = ['--public-key', 'key', '--request', 'request', '--response', 'response'];
    const code = await runVerify(['certificate', ...flags], {
      stdout: (text) => void outputLines.push(text),
      stderr: (text) => void outputLines.push(text),
      readFile: async function* read(path) {
        yield files[path]!;
      },
      fetch: () => Promise.reject(new Error('Verifying must not need the network.')),
    });
    return [code, outputLines.at(-1)];
  };

  describe.each(['application/json', 'text/event-stream'])('with %s', (accept) => {
    const chat = async (body: string, ...contents: (string | string[])[]): Promise<Answer> => {
      for (const content of contents) fixture.provider.script(answerWith({ content }));
      const headers = {
        'x-api-key': fixture.system.apiKey,
        'content-type': 'application/json',
        accept,
      };
      const answer = await fixture.client.send(`/v1/agents/${agentId}/chat`, { body, headers });
      expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('"error"')]);
      return answer;
    };

    it.each(CASES)('commit to question and answer: %s', async (_name, more, content) => {
      // Unusual whitespace and characters: the commitment covers the parsed JSON, not its bytes.
      const body = JSON.stringify({ message: 'Buy it? – “now”', ...more }, null, 2);
      const answer = await chat(body, content);
      expect(await verify(body, answer)).toEqual([0, 'valid']);
      const changedAnswer = {
        ...answer,
        bytes: Buffer.from(answer.text.replace(/"content":"/g, '$&!')),
      };
      expect(await verify(body, changedAnswer)).toEqual([
        1,
        expect.stringMatching(/^INVALID: response/),
      ]);
      const changedBody = body.replace('Buy', 'Sell');
      expect(await verify(changedBody, answer)).toEqual([
        1,
        expect.stringMatching(/^INVALID: request/),
      ]);
    });
  });

  it('commit to question and answer of a completion with extracted data', async () => {
    const messages = [{ role: 'user', content: 'Buy it?' }];
    const body = JSON.stringify({ systemPrompt: 'You doubt.', messages, json: true });
    fixture.provider.script(answerWith({ content: `Well: ${JSON_ANSWER}` }));
    const headers = { 'x-api-key': fixture.system.apiKey, 'content-type': 'application/json' };
    const answer = await fixture.client.send('/v1/ai/complete', { body, headers });
    expect(await verify(body, answer)).toEqual([0, 'valid']);
  });

  it('remain after the agent is deleted', async () => {
    const { client, provider } = fixture;
    const persona = { name: 'Bea', systemPrompt: 'You trust.' };
    const created = await client.send('/v1/agents', { body: persona });
    const { id } = (created.json as { agent: { id: string } }).agent;
    const agentPath = `/v1/agents/${id}`;
    const fact = { category: 'goal', key: 'raise', value: '2M', confidence: 1 };
    provider.script(answerWith({ content: 'Yes. <MEMORY key="a" type="fact">x</MEMORY>' }));
    provider.script(answerWith({ content: JSON.stringify({ facts: [fact] }) }));
    const body = JSON.stringify({ message: 'We raise 2M.', extraction: { categories: ['goal'] } });
    const headers = { 'x-api-key': fixture.system.apiKey, 'content-type': 'application/json' };
    const answer = await client.send(`${agentPath}/chat`, { body, headers });
    const { sessionId, ...content } = answer.json as { sessionId: string };
    expect(content).toMatchObject({ memoriesSaved: [{ key: 'a' }], extracted: [{ key: 'raise' }] });

    expect((await client.send(agentPath, { method: 'DELETE' })).status).toBe(204);

    expect(await verify(body, answer)).toEqual([0, 'valid']);
    const verifyPath = `/v1/proofs/${answer.headers.get('x-service-proof')}/verify`;
    expect((await client.send(verifyPath)).json).toMatchObject({ valid: true });
    for (const path of [agentPath, `${agentPath}/memory`, `${agentPath}/sessions/${sessionId}`]) {
      expect([path, (await client.send(path)).status]).toEqual([path, 404]);
    }
    const facts = await client.send(`/v1/ai/extracted-data?source=agent_chat:${id}`);
    expect(facts.json).toEqual({ data: [], count: 0 });
  });
});
