import { useQuery } from '@tanstack/react-query';
import type { Certificate } from '../../proof/certificate-query.ts';
import { ROUTING } from '../../proof/routing-reasons.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Detail, DetailList } from '../../ui/detail-list.tsx';
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts';
import { Badge } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { FINISH } from './call-filters.ts';
import { describeAddress } from './call-labels.ts';
import { recordQuery } from './calls-query.ts';

type MembersProps = { certificate: Certificate };

/** All members of a certificate, each with what it attests. */
export const CertificateMembers = ({ certificate }: MembersProps) => (
  <>
    <Overview certificate={certificate} />
    <RequestMembers certificate={certificate} />
    <EgressMembers certificate={certificate} />
    <ResponseMembers certificate={certificate} />
    <Grounding certificate={certificate} />
    <Signing certificate={certificate} />
  </>
);

const Overview = ({ certificate: { payload } }: MembersProps) => {
  const { id, issuedAt } = payload;
  const { data: record } = useQuery(recordQuery({ id, issuedAt }));
  const finish = FINISH[payload.response.finishReason];
  return (
    <Section title="Overview">
      <DetailList>
        <Detail name="Result" note={finish.note}>
          <Badge tone={finish.tone}>{finish.label}</Badge>
        </Detail>
        <Detail name="Issued" note="When the certificate was signed, after the answer ended.">
          <Time at={issuedAt} />
        </Detail>
        <Detail name="Issuer">{payload.issuer}</Detail>
        {record && (
          <>
            <Detail name="Duration">
              {record.durationMs === null ? 'Not recorded' : formatDuration(record.durationMs)}
            </Detail>
            <Detail name="Cost" note="By the price of the model; recorded beside the certificate.">
              {formatCost(record.cost)}
            </Detail>
            {record.keyId !== null && (
              <Detail name="API key">
                <Copyable text={record.keyId} name="key id" />
              </Detail>
            )}
          </>
        )}
      </DetailList>
    </Section>
  );
};

const RequestMembers = ({ certificate: { payload } }: MembersProps) => (
  <Section title="What the client asked">
    <DetailList>
      <Detail name="Requested model">{payload.request.model}</Detail>
      <Detail name="Address" note="Which capability of Witan served the call.">
        <code>{describeAddress(payload.address)}</code>
      </Detail>
      <Detail
        name="Commitment"
        note={
          'SHA-256 of the request body in canonical JSON. A reader who has the body can check ' +
          'it; the body cannot be derived from it.'
        }
      >
        <Copyable text={payload.request.sha256} name="request commitment" />
      </Detail>
    </DetailList>
  </Section>
);

const EgressMembers = ({ certificate: { payload } }: MembersProps) => {
  const { provider, model, sha256, pii } = payload.egress;
  return (
    <Section title="What left for the provider">
      <DetailList>
        <Detail name="Provider">{provider}</Detail>
        <Detail name="Model that ran">{model}</Detail>
        <Detail name="Task">{payload.routing.taskType}</Detail>
        <Detail name="Why this model" note={ROUTING[payload.routing.reason]}>
          {payload.routing.reason}
        </Detail>
        <Detail
          name="Masked values"
          note={
            'Personal data that was replaced before the request left, and restored in the ' +
            'answer.'
          }
        >
          {formatCount(pii.masked)} {pii.categories.length > 0 && `(${pii.categories.join(', ')})`}
        </Detail>
        {pii.uninspected !== undefined && (
          <Detail
            name="Not inspected"
            note={
              'Media, which are not read, and values that could not be replaced without making ' +
              'the request invalid.'
            }
          >
            <Badge tone="warn">{formatCount(pii.uninspected)}</Badge>
          </Detail>
        )}
        <Detail name="Hash" note="SHA-256 of the exact bytes that were sent to the provider.">
          <Copyable text={sha256} name="egress hash" />
        </Detail>
      </DetailList>
    </Section>
  );
};

const ResponseMembers = ({ certificate: { payload } }: MembersProps) => {
  const { sha256, usage } = payload.response;
  return (
    <Section title="What came back">
      <DetailList>
        <Detail
          name="Tokens"
          note={usage.estimated ? 'Estimated, because the provider reported none.' : undefined}
        >
          {formatCount(usage.totalTokens)} ({formatCount(usage.promptTokens)} prompt,{' '}
          {formatCount(usage.completionTokens)} completion)
        </Detail>
        <Detail
          name="Commitment"
          note="SHA-256 over the text and the tool calls that were delivered, streamed or not."
        >
          <Copyable text={sha256} name="response commitment" />
        </Detail>
      </DetailList>
    </Section>
  );
};

const Grounding = ({ certificate: { payload } }: MembersProps) => {
  if (payload.grounding === undefined) return null;
  return (
    <Section
      title="Passages that the model was given"
      intro="Each is named by its source and committed to by the hash of its text."
    >
      {payload.grounding.length === 0 ? (
        <p className="muted">None was found for this question.</p>
      ) : (
        <DetailList>
          {payload.grounding.map(({ source, chunkId, page, sha256 }) => (
            <Detail key={chunkId} name={page === null ? source : `${source}, page ${page}`}>
              <Copyable text={sha256} name="passage hash" />
            </Detail>
          ))}
        </DetailList>
      )}
    </Section>
  );
};

const Signing = ({
  certificate: { payload, payload_hash, signature, algorithm },
}: MembersProps) => (
  <Section title="Hash and signature">
    <DetailList>
      <Detail name="Format">Version {payload.v}</Detail>
      <Detail name="Hash" note="SHA-256 of the canonical JSON of everything above.">
        <Copyable text={payload_hash} name="certificate hash" />
      </Detail>
      <Detail name="Signature" note={`${algorithm} over the hash, by the key of the issuer.`}>
        <Copyable text={signature} name="signature" />
      </Detail>
    </DetailList>
  </Section>
);
