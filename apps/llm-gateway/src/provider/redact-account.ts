import { parseObject } from '@witan/dialects';
import { editJsonStrings } from '@witan/privacy';

export type RedactAccount = (text: string) => string;

const REDACTED = '[redacted]';

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';

const ACCOUNT = new RegExp(
  [
    String.raw`\b(?:org|proj|acct)[-_][A-Za-z0-9]{6,}`,
    String.raw`\buser-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{8,}`,
    String.raw`\bsk[-_][\w*.-]{6,}`,
    String.raw`(?<=\bBearer )[^\s"',]{8,}`,
    String.raw`(?<=\borg(?:ani[sz]ation)?(?:[ _]id)?[:= "'(]{1,3})${UUID}`,
    String.raw`\b[\w.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}`,
  ].join('|'),
  'gi',
);

/** Shorter secrets are not redacted, because they also occur in ordinary text. */
const SECRET_LENGTH_MIN = 6;

const ACCOUNT_MEMBER = /^(?:org|organi[sz]ation|project|account)(?:_?id)?$/i;

/**
 * Returns a function that removes the account's identifiers and `secrets` from errors of a provider
 * that is called with the operator's credentials. The error keeps its shape; a text without
 * identifiers is returned unchanged.
 */
export const createRedactAccount = (secrets: readonly string[]): RedactAccount => {
  const redactText = (text: string): string =>
    secrets
      .filter(({ length }) => length >= SECRET_LENGTH_MIN)
      .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)
      .replaceAll(ACCOUNT, REDACTED);
  const redactObject = (text: string): string =>
    editJsonStrings(text, ({ path, isKey, value }) => {
      if (isKey) return undefined;
      const isId = ACCOUNT_MEMBER.test(String(path.at(-1)));
      const redacted = isId ? REDACTED : redactText(value);
      return redacted === value ? undefined : JSON.stringify(redacted);
    });
  const redactLine = (line: string): string => {
    const start = line.startsWith('data:') ? line.indexOf('{') : -1;
    if (start < 0 || !parseObject(line.slice(start))) return redactText(line);
    return line.slice(0, start) + redactObject(line.slice(start));
  };
  return (text) =>
    // In a stream frame the JSON is on one line, so each line is redacted separately.
    parseObject(text) ? redactObject(text) : text.split('\n').map(redactLine).join('\n');
};
