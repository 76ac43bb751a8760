import { invalidRequest } from '@witan/contracts';
import { createAddressLookup } from './create-address-lookup.ts';
import { OutboundError } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import { resolveTarget } from './resolve-target.ts';
import type { LookupAddresses } from './resolve-target.ts';
import type { TargetPolicy } from './target-policy.ts';

export type VerifyTargetOptions = {
  policy: TargetPolicy;
  lookup?: LookupAddresses;
  /** The field of the request that held the URL. */
  param?: string;
  signal?: AbortSignal;
};

/** How long DNS may take before the name counts as one that does not resolve, in milliseconds. */
const DNS_MAX_MS = 3_000;

/**
 * Checks a URL when it is created or changed and answers it normalised: that is what is stored and
 * shown. Throws INVALID_REQUEST, with code `blocked_address` for a URL that may not be called and
 * without one for what is no URL, or too long. A name that does not resolve yet is accepted: every
 * call checks it again.
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
