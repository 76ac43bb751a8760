export type ResponseAnswer = {
  /** Text of the answer, in the pieces in which a stream sends it; none by default. */
  readonly text?: readonly string[];
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
  /** Reasoning before the answer: its summary, and what only its provider can open. */
  readonly reasoning?: { readonly summary: string; readonly encrypted: string };
  /** Reason for which the answer is incomplete: `max_output_tokens` or `content_filter`. */
  readonly incomplete?: string;
  readonly model?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
};

export type ResponseEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

const DEFAULT_USAGE = {
  input_tokens: 3,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 4,
};

type Item = Record<string, unknown> & { id: string; type: string };

/** Returns a complete response in the responses dialect, as OpenAI sends it. */
export function toResponse(answer: ResponseAnswer = {}): object {
  const { incomplete, usage = DEFAULT_USAGE } = answer;
  return {
    ...toFields(answer),
    status: incomplete === undefined ? 'completed' : 'incomplete',
    completed_at: incomplete === undefined ? 1 : null,
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: toItems(answer).map(({ whole }) => whole),
    usage,
  };
}

/** Returns the events of a streamed response; the stream has no `[DONE]`, as OpenAI's has none. */
export function toResponseEvents(answer: ResponseAnswer = {}): ResponseEvent[] {
  const begun = { ...toFields(answer), status: 'in_progress', output: [], usage: null };
  const events: ResponseEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...toItems(answer).flatMap(({ begun: item, whole, events: inner }, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      ...inner.map((event) => ({ ...event, output_index, item_id: whole.id })),
      { type: 'response.output_item.done', output_index, item: whole },
    ]),
    {
      type: answer.incomplete === undefined ? 'response.completed' : 'response.incomplete',
      response: toResponse(answer),
    },
  ];
  return events.map((event, sequence_number) => ({ sequence_number, ...event }));
}

function toFields({ model = 'gpt-test' }: ResponseAnswer): object {
  return {
    id: 'resp_scripted',
    object: 'response',
    created_at: 0,
    completed_at: null,
    model,
    error: null,
    incomplete_details: null,
    background: false,
    frequency_penalty: 0,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: {},
    parallel_tool_calls: true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
  };
}

type ItemPlan = { begun: Item; whole: Item; events: ResponseEvent[] };

function toItems({ text, calls = [], reasoning, incomplete }: ResponseAnswer): ItemPlan[] {
  const plans = [
    ...(reasoning ? [toReasoning(reasoning)] : []),
    ...(text ? [toMessage(text)] : []),
    ...calls.map(toCall),
  ];
  const last = plans.at(-1);
  if (incomplete !== undefined && last) last.whole['status'] = 'incomplete';
  return plans;
}

function toReasoning({ summary, encrypted }: NonNullable<ResponseAnswer['reasoning']>): ItemPlan {
  const item = { id: 'rs_scripted', type: 'reasoning', status: 'completed' };
  const part = { type: 'summary_text', text: summary };
  const at = { summary_index: 0 };
  return {
    begun: { ...item, summary: [] },
    whole: { ...item, summary: [part], encrypted_content: encrypted },
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...at, delta: summary },
      { type: 'response.reasoning_summary_text.done', ...at, text: summary },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ],
  };
}

function toMessage(pieces: readonly string[]): ItemPlan {
  const item = { id: 'msg_scripted', type: 'message', role: 'assistant' };
  const text = pieces.join('');
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const at = { content_index: 0 };
  return {
    begun: { ...item, status: 'in_progress', content: [] },
    whole: { ...item, status: 'completed', content: [part] },
    events: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...pieces.map((delta) => ({
        type: 'response.output_text.delta',
        ...at,
        delta,
        logprobs: [],
        obfuscation: 'x7',
      })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
  };
}

function toCall(call: NonNullable<ResponseAnswer['calls']>[number]): ItemPlan {
  const item = { id: `fc_${call.id}`, type: 'function_call', call_id: call.id, name: call.name };
  const half = Math.ceil(call.arguments.length / 2);
  const type = 'response.function_call_arguments.delta';
  return {
    begun: { ...item, status: 'in_progress', arguments: '' },
    whole: { ...item, status: 'completed', arguments: call.arguments },
    events: [
      { type, delta: call.arguments.slice(0, half) },
      { type, delta: call.arguments.slice(half) },
      {
        type: 'response.function_call_arguments.done',
        name: call.name,
        arguments: call.arguments,
      },
    ],
  };
}
