import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePublicKeys, verifyCertificate, verifyRequest, verifyResponse } from '@witan/proof';
import { answerMessageWith, streamResponseEvents, toResponseEvents } from '@witan/testing';
import { answerResponseWith, eventually, failWith } from '@witan/testing';
import type { ResponseEvent } from '@witan/testing';
import { checkResponseStream } from './conformance/check-response-stream.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const SHELL = {
  type: 'function',
  name: 'shell',
  description: 'Runs a shell command and returns its output.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' } },
      workdir: { type: 'string' },
      timeout_ms: { type: 'number' },
    },
    required: ['command'],
    additionalProperties: false,
  },
};
const APPLY_PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files. This is a FREEFORM tool, so do not wrap the patch in JSON.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' },
};
const message = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

/** A request in the form that Codex sends (codex-rs/core/src/client.rs, Apache-2.0). */
const codexRequest = (model: string, tools: readonly object[], input: readonly object[]) => ({
  model,
  instructions: 'You are a coding agent running in the Codex CLI.',
  input: [
    message('developer', '<permissions instructions>Sandbox: workspace-write</permissions>'),
    message('user', '<environment_context><cwd>/repo</cwd></environment_context>'),
    message('user', 'Fix the failing test.'),
    ...input,
  ],
  tools,
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199b4a2-6c1e-7bd0-a1f8-3f1f2c6f7a55',
  text: { verbosity: 'medium' },
});
const HEADERS = {
  'openai-beta': 'responses=experimental',
  originator: 'codex_cli_rs',
  session_id: '0199b4a2-6c1e-7bd0-a1f8-3f1f2c6f7a55',
  accept: 'text/event-stream',
};

const PATCH = '*** Begin Patch\n*** Update File: a.ts\n@@\n-1\n+2\n*** End Patch';

/** A turn of Codex with a freeform tool, which the gateway does not know. */
const PATCH_EVENTS: ResponseEvent[] = (() => {
  const item = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_p', name: 'apply_patch' };
  const [created, inProgress, ...rest] = toResponseEvents({
    text: ['Patching.'],
    model: 'gpt-5-codex',
  });
  const completed = rest.pop()!;
  const response = completed['response'] as { output: object[] };
  const at = { output_index: 1, item_id: 'ctc_1' };
  const events = [
    created!,
    inProgress!,
    ...rest,
    { type: 'response.output_item.added', output_index: 1, item: { ...item, input: '' } },
    { type: 'response.custom_tool_call_input.delta', ...at, delta: PATCH },
    { type: 'response.custom_tool_call_input.done', ...at, input: PATCH },
    { type: 'response.output_item.done', output_index: 1, item: { ...item, input: PATCH } },
    {
      ...completed,
      response: { ...response, output: [...response.output, { ...item, input: PATCH }] },
    },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
})();

describe('Codex', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    const env = { OPENAI_DIALECTS: 'chat-completions,responses' };
    fixture = await openFixture({ transport: 'in-process', env });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const send = async (body: object) => {
    const source = JSON.stringify(body);
    const answer = await fixture.client.send('/v1/responses', {
      method: 'POST',
      body: source,
      headers: {
        ...HEADERS,
        authorization: `Bearer ${fixture.system.apiKey}`,
        'content-type': 'application/json',
      },
    });
    const keys = await fixture.client.send('/v1/gateway/public-key');
    const id = answer.headers.get('x-service-proof');
    const certificate = await fixture.client.send(`/v1/proofs/${id}`);
    const { payload } = verifyCertificate(certificate.text, parsePublicKeys(keys.text));
    verifyRequest(payload, source);
    verifyResponse(payload, Buffer.from(answer.text));
    return { ...answer, source, payload };
  };
  const lastCall = () => fixture.calls().at(-1)!;
  const readEnded = (id: string): Promise<unknown> =>
    eventually(async () => {
      const { json } = await fixture.client.send(`/v1/responses/${id}`);
      return (json as { status: string }).status === 'queued' ? undefined : json;
    }, 'the end of the response');

  it('reaches a provider that speaks its dialect byte for byte, tools of OpenAI included', async () => {
    fixture.provider.script(streamResponseEvents(PATCH_EVENTS));
    const tools = [SHELL, APPLY_PATCH, { type: 'web_search', external_web_access: false }];
    const { text, source, payload } = await send(codexRequest('gpt-5-codex', tools, []));
    expect(lastCall().path).toBe('/v1/responses');
    expect(lastCall().body.toString()).toBe(source);
    expect(lastCall().headers['openai-beta']).toBe('responses=experimental');
    const frames = PATCH_EVENTS.map(
      (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    expect(text).toBe(`${frames.join('')}data: [DONE]\n\n`);
    expect(payload.egress).toMatchObject({ provider: 'openai', model: 'gpt-5-codex' });
    expect(payload.response.finishReason).toBe('stop');
  });

  it('works with a model of another dialect, and keeps its reasoning', async () => {
    const thinking = { thinking: 'Run it first.', signature: 'c2lnbmVk' };
    fixture.provider.script(
      answerMessageWith({
        blocks: [
          { type: 'thinking', ...thinking },
          { type: 'tool_use', id: 'toolu_1', name: 'shell', input: '{"command":["npm","test"]}' },
        ],
      }),
    );
    const first = await send(codexRequest('claude-sonnet-5-5', [SHELL], []));
    expect([first.text, checkResponseStream(first.text)]).toEqual([first.text, []]);
    expect(first.payload.response.finishReason).toBe('tool_calls');
    const dropped = first.headers.get('x-service-dropped-params');
    expect(dropped).toBe('prompt_cache_key, reasoning.summary, text.verbosity');

    const completed = first.text
      .split('\n')
      .filter((line) => line.startsWith('data: {"type":"response.completed"'))
      .map((line) => JSON.parse(line.slice(6)) as { response: { output: object[] } });
    const { output } = completed[0]!.response;
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Run it first.' }] },
      { type: 'function_call', call_id: 'toolu_1', name: 'shell' },
    ]);
    fixture.provider.script(answerMessageWith({ content: ['Fixed ', 'it.'] }));
    const result = { type: 'function_call_output', call_id: 'toolu_1', output: '1 failed' };
    const second = await send(codexRequest('claude-sonnet-5-5', [SHELL], [...output, result]));
    expect(second.payload.response.finishReason).toBe('stop');
    expect(lastCall().parsed).toMatchObject({
      system: [
        { text: 'You are a coding agent running in the Codex CLI.' },
        { text: expect.stringContaining('Sandbox') },
      ],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', ...thinking },
            { type: 'tool_use', id: 'toolu_1', input: { command: ['npm', 'test'] } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      ],
    });
  });

  it('gets a response in the background from a provider that speaks its dialect', async () => {
    fixture.provider.script(answerResponseWith({ text: ['Later.'], model: 'gpt-5-codex' }));
    const body = { model: 'gpt-5-codex', input: 'Fix it.', background: true };
    const { json } = await fixture.client.send('/v1/responses', { body });
    const { id } = json as { id: string };
    expect(await readEnded(id)).toMatchObject({
      id,
      status: 'completed',
      output: [{ content: [{ text: 'Later.' }] }],
    });
    expect(lastCall().parsed).toEqual({ model: 'gpt-5-codex', input: 'Fix it.' });
  });

  it('reads why a response in the background failed', async () => {
    fixture.provider.script(failWith(400));
    const body = { model: 'gpt-5-codex', input: 'Fix it.', background: true };
    const { json } = await fixture.client.send('/v1/responses', { body });
    expect(await readEnded((json as { id: string }).id)).toMatchObject({
      status: 'failed',
      error: { message: 'Scripted failure 400.' },
    });
  });

  it('is told by name that a model of another dialect has no freeform tool', async () => {
    const callsBefore = fixture.calls().length;
    const answer = await fixture.client.send('/v1/responses', {
      method: 'POST',
      body: codexRequest('claude-sonnet-5-5', [SHELL, APPLY_PATCH], []),
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: {
        code: 'unsupported_parameter',
        param: 'tools[1].type',
        message: expect.stringContaining('"custom"'),
      },
    });
    expect(fixture.calls()).toHaveLength(callsBefore);
  });
});
