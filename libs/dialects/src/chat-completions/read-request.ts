/** What the gateway needs to know of a chat-completions request body; all else passes through. */
export type ChatRequest = {
  model: string;
  streamed: boolean;
  /** The client asked for the usage chunk of its stream. */
  wantsUsage: boolean;
  hasTools: boolean;
  /** Requested output limits by their field names. */
  outputLimits: Partial<Record<OutputLimit, number>>;
};

export const OUTPUT_LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
/** Members that decide what runs; each may stand only once in a body. */
export const DECISIVE_MEMBERS = [...OUTPUT_LIMITS, 'model', 'messages', 'stream', 'tools'];
export type OutputLimit = (typeof OUTPUT_LIMITS)[number];

/** Reads a parsed body. Wrong types count as absent: the edge has refused what must be refused. */
export const readChatRequest = (body: Record<string, unknown>): ChatRequest => {
  const streamOptions = isObject(body.stream_options) ? body.stream_options : {};
  return {
    model: typeof body.model === 'string' ? body.model : '',
    streamed: body.stream === true,
    wantsUsage: streamOptions.include_usage === true,
    hasTools: Array.isArray(body.tools) && body.tools.length > 0,
    outputLimits: Object.fromEntries(
      OUTPUT_LIMITS.filter((name) => typeof body[name] === 'number').map((name) => [
        name,
        body[name],
      ]),
    ),
  };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
