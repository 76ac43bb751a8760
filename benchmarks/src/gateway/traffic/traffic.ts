import { chatTraffic } from './chat-traffic.ts';
import { messagesTraffic } from './messages-traffic.ts';

export type TrafficDialect = 'chat' | 'messages';

export type RequestShape = {
  model: string;
  isStreamed: boolean;
  /** Set if the question contains personal data. */
  isPersonal?: boolean;
  bodyBytes: number;
};

/** Frames of a stream: `opening` before the text, `texts` with the text, `closing` after it. */
export type StreamFrames = {
  opening: readonly string[];
  texts: readonly string[];
  closing: readonly string[];
};

export type Traffic = {
  path: string;
  /** Request headers of a client in addition to its API key. */
  headers: Readonly<Record<string, string>>;
  /** Returns a request body of exactly `bodyBytes`. */
  makeRequest: (shape: RequestShape) => string;
  /** Returns a provider's response, not streamed, of exactly `bytes`. */
  makeAnswer: (bytes: number) => string;
  /** Returns a provider's stream with `texts` text frames. */
  makeFrames: (texts: number) => StreamFrames;
};

export const TRAFFIC: Readonly<Record<TrafficDialect, Traffic>> = {
  chat: chatTraffic,
  messages: messagesTraffic,
};
