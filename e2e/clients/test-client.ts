export type DialectName = 'chat-completions' | 'messages';

export type Connection = {
  /** The origin of the gateway, without a path. */
  origin: string;
  apiKey: string;
  /** The recording `fetch` of `openWire`. */
  fetch: typeof fetch;
  /** Number of retries by the client; 0 by default. */
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
  /** An earlier answer in the form of the client library. */
  | { answer: ClientAnswer }
  | { results: readonly { id: string; name: string; text: string }[] };

export type ChatRequest = {
  model: string;
  streamed?: boolean;
  system?: string;
  turns: readonly Turn[];
  tools?: readonly TestTool[];
  /** Requires the model to call a tool. */
  mustCall?: boolean;
  signal?: AbortSignal;
  /** Called with each piece of streamed text. */
  onText?: (text: string) => void;
};

export type ClientAnswer = {
  text: string;
  calls: readonly ToolCall[];
  /** One of the values of `TestClient.finishNames`. */
  finish: string;
  usage: { input: number; output: number };
  /** The answer in the form of the client library. */
  own: unknown;
};

/** The finish reasons of an answer, named as in certificates. */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** The visible parts of a client's error. */
export type Failure = {
  /** The name of the error's class, or the value of its `name`. */
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
  /** The client's name for each finish reason. */
  finishNames: Readonly<Record<Finish, string>>;
  /** The client's structured-output formats, and whether they can be streamed. */
  formats: readonly { name: string; streams: boolean }[];
  ask: (request: ChatRequest) => Promise<ClientAnswer>;
  askForWeather: (request: ChatRequest, format: string) => Promise<unknown>;
  describe: (error: unknown) => Failure;
};

/** A client library, which creates a client for the gateway of each suite. */
export type ClientKind = {
  name: string;
  dialect: DialectName;
  /**
   * Set if the client ignores the final prompt count of a message stream, and adds the output
   * tokens of its first event to those of the last.
   */
  countsFromStart?: true;
  create: (connection: Connection) => TestClient;
};
