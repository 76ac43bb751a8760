import { invalidRequest } from '@witan/contracts';
import { createAddressLookup, resolveTarget } from './resolve-target.ts';
import { OutboundError } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import type { LookupAddresses } from './resolve-target.ts';
import type { TargetPolicy } from './target-policy.ts';

export type VerifyTargetOptions = {
  policy: TargetPolicy;
  lookup?: LookupAddresses;
  param?: string;
  signal?: AbortSignal;
};

const DNS_MAX_MS = 3_000;

/**
 * Checks a URL when it is created or changed and returns it normalised, to be stored and shown.
 * Throws INVALID_REQUEST, with code `blocked_address` if the URL is not allowed and without a code
 * if it is not a valid URL or too long. Accepts a name that does not resolve within 3 s, because
 * every call checks the URL again.
 */
export const verifyTargetUrl = async (
  raw: string,
  { policy, lookup = createAddressLookup(), param = 'url', signal }: VerifyTargetOptions,
): Promise<string> => {
  const timeout = AbortSignal.timeout(DNS_MAX_MS);
  try {
    const target = parseTargetUrl(raw, policy);
    await resolveTarget(target, {
      lookup,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch((error: unknown) => {
      if (signal?.aborted || (!isUnresolved(error) && !timeout.aborted)) throw error;
    });
    return target.href;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw invalidRequest(error.message, isUrl(raw, error) ? { code: BLOCKED, param } : { param });
  }
};

const BLOCKED = 'blocked_address';

const isUrl = (raw: string, { rule }: OutboundError): boolean =>
  rule !== 'length' && URL.canParse(raw);

const isUnresolved = (error: unknown): boolean =>
  error instanceof OutboundError && error.failure === 'dns';
