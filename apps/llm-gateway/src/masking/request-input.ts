import type { Conversation } from '@witan/contracts';
import type { Dialect, JsonObject, RequestSummary } from '@witan/dialects';

export type RequestInput =
  | {
      form: 'wire';
      dialect: Dialect;
      bytes: Uint8Array;
      text: string;
      body: JsonObject;
      summary: RequestSummary;
      headers: Readonly<Record<string, string>>;
      query: string;
    }
  | { form: 'neutral'; conversation: Conversation };
