import type { CertificatePayload } from '@witan/proof';

/** Id of an attempt after the first one: the llm-gateway adds its number to the call's id. */
const FALLBACK_ID = /^(pf_[0-9A-Za-z]+?)f(\d{1,2})$/;

/**
 * Returns the ids of the attempts before a fallback, in order. Of an answer that was certified under
 * an announced id they are unknown. Attempts that sent nothing have no certificate.
 */
export const earlierAttemptsOf = ({
  id,
  routing,
}: Pick<CertificatePayload, 'id' | 'routing'>): string[] => {
  const [, first, number] = FALLBACK_ID.exec(id) ?? [];
  if (routing.reason !== 'fallback' || first === undefined) return [];
  return Array.from({ length: Number(number) }, (_, n) => (n === 0 ? first : `${first}f${n}`));
};
