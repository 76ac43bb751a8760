export type DialectName = 'chat-completions' | 'messages' | 'responses';

export type Connection = {
  /** The gateway's origin, without a path. */
  origin: string;
  apiKey: string;
  /** The `fetch` that the client library uses, usually that of a `FetchRecorder`. */
  fetch: typeof fetch;
  /** Number of retries that the client makes; 0 by default. */
  maxRetries?: number;
};

/** A tool that the model may call; `parameters` is a JSON Schema. */
export type TestTool = { name: string; description: string; parameters: Record<string, unknown> };

/** A tool call as the client library returns it; `input` is parsed JSON. */
export type ToolCall = { id: string; name: string; input: unknown };

export type TestFile = { name: string; mediaType: string; base64: string };

/** A message of a conversation, independent of the client library. */
export type Turn =
  | { user: string; imageUrls?: readonly string[]; file?: TestFile }
  /** An earlier answer of the model, as the client library returned it. */
  | { answer: ClientAnswer }
  | { results: readonly { id: string; name: string; text: string }[] };

export type ChatRequest = {
  model: string;
  streamed?: boolean;
  system?: string;
  turns: readonly Turn[];
  tools?: readonly TestTool[];
  /** Set if the model must call a tool. */
  mustCall?: boolean;
  signal?: AbortSignal;
  /** Called with each piece of streamed text. */
  onText?: (text: string) => void;
};

export type ClientAnswer = {
  text: string;
  calls: readonly ToolCall[];
  /** The finish reason; one of the values of `TestClient.finishNames`. */
  finishReason: string;
  usage: { input: number; output: number };
  /** The answer in the client library's own form, to be sent back in a later request. */
  nativeAnswer: unknown;
};

/** The finish reasons of an answer, named as in certificates. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** The parts of a client library's error that callers see. */
export type Failure = {
  /** Name of the error class, or the error's `name` property. */
  kind: string;
  /** The HTTP status; undefined if the library's error has none. */
  status: number | undefined;
  message: string;
  requestId: string | undefined;
};

/** A client library behind an interface that is the same for all of them. */
export type TestClient = {
  name: string;
  dialect: DialectName;
  /** The library's own name for each finish reason. */
  finishNames: Readonly<Record<FinishReason, string>>;
  /** The library's formats of structured output, and whether each can be streamed. */
  formats: readonly { name: string; canStream: boolean }[];
  ask: (request: ChatRequest) => Promise<ClientAnswer>;
  askForWeather: (request: ChatRequest, format: string) => Promise<unknown>;
  toFailure: (error: unknown) => Failure;
};

/** A client library; `create` connects it to a gateway. */
export type ClientKind = {
  name: string;
  dialect: DialectName;
  /**
   * Set if the library ignores the final prompt count of a message stream and adds the output
   * tokens of its first event to the final output tokens.
   */
  addsFirstEventTokens?: true;
  /** Set if the library sends a call's arguments back as the text that it received. */
  keepsArguments?: true;
  create: (connection: Connection) => TestClient;
};
