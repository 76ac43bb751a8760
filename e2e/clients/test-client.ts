/** A wire dialect, as clients and providers speak it. */
export type DialectName = 'chat-completions' | 'messages';

/** Where a client finds the gateway, and what it was told about it. */
export type Connection = {
  /** The origin, without a path. */
  origin: string;
  apiKey: string;
  /** The recorder of `openWire`: what goes over the wire is seen there. */
  fetch: typeof fetch;
  /** How often the client tries again by itself; none by default. */
  maxRetries?: number;
};

/** A tool that a test declares; `parameters` is a JSON Schema. */
export type TestTool = { name: string; description: string; parameters: Record<string, unknown> };

/** A call as the user of a client sees it: its input is parsed. */
export type ToolCall = { id: string; name: string; input: unknown };

/** A file in base64. */
export type TestFile = { name: string; mediaType: string; base64: string };

/** One turn, in words that every client can say in its own. */
export type Turn =
  | { user: string; imageUrls?: readonly string[]; file?: TestFile }
  /** An earlier answer, handed back in the form that the client gave it. */
  | { said: Said }
  | { results: readonly { id: string; name: string; text: string }[] };

/** What a test asks for. */
export type Asking = {
  model: string;
  streamed?: boolean;
  system?: string;
  turns: readonly Turn[];
  tools?: readonly TestTool[];
  /** One of the tools must be called. */
  mustCall?: boolean;
  signal?: AbortSignal;
  /** Hears each piece of a streamed answer's text as the client hands it out. */
  onText?: (text: string) => void;
};

/** What the user of a client got. */
export type Said = {
  text: string;
  calls: readonly ToolCall[];
  /** In the client's own words: see `TestClient.words`. */
  finish: string;
  usage: { input: number; output: number };
  /** The client's own form of the answer. */
  own: unknown;
};

/** How an answer ended, in the words of certificates. */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** What the user of a client can learn of a failure. */
export type Failure = {
  /** Of the class, or what stands in `name`: the word that users look for. */
  kind: string;
  /** Undefined when the failure came in the middle of a stream. */
  status: number | undefined;
  message: string;
  requestId: string | undefined;
};

/** One library, driven as its users drive it. */
export type TestClient = {
  name: string;
  dialect: DialectName;
  /** Its words for how an answer ended. */
  words: Readonly<Record<Finish, string>>;
  /** Its names for the ways to a structured answer, and whether they can be streamed. */
  formats: readonly { name: string; streams: boolean }[];
  ask: (asking: Asking) => Promise<Said>;
  /** The parsed answer in the shape of `WEATHER`. */
  askForWeather: (asking: Asking, format: string) => Promise<unknown>;
  describe: (error: unknown) => Failure;
};

/** A client that is made anew for every suite, since each has its own gateway. */
export type ClientKind = {
  name: string;
  dialect: DialectName;
  /**
   * The client never reads the prompt's count that ends a message stream, and adds the output
   * tokens that stand at its start to those at its end.
   */
  countsFromStart?: true;
  create: (connection: Connection) => TestClient;
};
