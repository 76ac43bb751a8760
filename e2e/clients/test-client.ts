export type DialectName = 'chat-completions' | 'messages';

export type Connection = {
  /** The origin, without a path. */
  origin: string;
  apiKey: string;
  /** The recorder of `openWire`. */
  fetch: typeof fetch;
  /** Retries by the client; none by default. */
  maxRetries?: number;
};

/** `parameters` is a JSON Schema. */
export type TestTool = { name: string; description: string; parameters: Record<string, unknown> };

/** A tool call as the client returns it, with parsed input. */
export type ToolCall = { id: string; name: string; input: unknown };

export type TestFile = { name: string; mediaType: string; base64: string };

/** A chat message that every client can express. */
export type Turn =
  | { user: string; imageUrls?: readonly string[]; file?: TestFile }
  /** An earlier answer in the client's own form. */
  | { answer: ClientAnswer }
  | { results: readonly { id: string; name: string; text: string }[] };

export type ChatRequest = {
  model: string;
  streamed?: boolean;
  system?: string;
  turns: readonly Turn[];
  tools?: readonly TestTool[];
  /** Requires a tool call. */
  mustCall?: boolean;
  signal?: AbortSignal;
  /** Called with each piece of streamed text. */
  onText?: (text: string) => void;
};

export type ClientAnswer = {
  text: string;
  calls: readonly ToolCall[];
  /** A value of `TestClient.words`. */
  finish: string;
  usage: { input: number; output: number };
  /** The answer in the client's own form. */
  own: unknown;
};

/** How an answer ended, in the terms of certificates. */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** The visible parts of a client's error. */
export type Failure = {
  /** The error's class, or the value of its `name`. */
  kind: string;
  /** Undefined if the stream failed after its start. */
  status: number | undefined;
  message: string;
  requestId: string | undefined;
};

/** A client library behind one interface. */
export type TestClient = {
  name: string;
  dialect: DialectName;
  /** The client's names for the ends of an answer. */
  finishNames: Readonly<Record<Finish, string>>;
  /** The client's structured-output formats, and whether they can be streamed. */
  formats: readonly { name: string; streams: boolean }[];
  ask: (request: ChatRequest) => Promise<ClientAnswer>;
  askForWeather: (request: ChatRequest, format: string) => Promise<unknown>;
  describe: (error: unknown) => Failure;
};

/** Creates a client; each suite has its own gateway. */
export type ClientKind = {
  name: string;
  dialect: DialectName;
  /**
   * The client ignores the final prompt count of a message stream, and adds the output tokens of
   * its first event to those of the last.
   */
  countsFromStart?: true;
  create: (connection: Connection) => TestClient;
};
