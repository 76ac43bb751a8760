import { chatTraffic } from './chat-traffic.ts';
import { messagesTraffic } from './messages-traffic.ts';

/** The dialects that clients and provider speak. */
export type TrafficDialect = 'chat' | 'messages';

/** What a request asks for. */
export type Asking = {
  model: string;
  isStreamed: boolean;
  /** The question holds personal data. */
  isPersonal?: boolean;
  bodyBytes: number;
};

/** A streamed answer: what comes before its text, its text, and what comes behind. */
export type StreamFrames = {
  opening: readonly string[];
  texts: readonly string[];
  closing: readonly string[];
};

/** What is sent and answered in one dialect. */
export type Traffic = {
  path: string;
  /** Of the client, beside its key. */
  headers: Readonly<Record<string, string>>;
  /** The body of a request, exactly `bodyBytes` long. */
  makeRequest: (asking: Asking) => string;
  /** A provider's plain answer, exactly `bytes` long. */
  makeAnswer: (bytes: number) => string;
  /** A provider's streamed answer with that many frames of text. */
  makeFrames: (texts: number) => StreamFrames;
};

export const TRAFFIC: Readonly<Record<TrafficDialect, Traffic>> = {
  chat: chatTraffic,
  messages: messagesTraffic,
};
