import type { ReactNode } from 'react';
import { describeError } from '../../api/api-error.ts';
import { ROUTING } from '../../proof/routing-reasons.ts';
import { formatCount } from '../../ui/format.ts';
import { Badge, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import type { CallRequest } from './call-request.ts';
import { readMaskedTexts } from './masked-text.ts';
import type { MaskedText, Stretch } from './masked-text.ts';
import css from './playground.module.css';
import type { Preview } from './playground-query.ts';

type PreviewPanelProps = {
  preview: { data: Preview | undefined; error: Error | null };
  /** The request that the preview is computed for. */
  request: CallRequest;
  /** True while the form has changed and the preview of that change has not arrived. */
  isUpdating: boolean;
};

/** What the provider would get: the target, and each text beside the same text without masking. */
export const PreviewPanel = ({
  preview: { data, error },
  request,
  isUpdating,
}: PreviewPanelProps) => (
  <Section
    title="What the provider gets"
    intro="Computed without a call: nothing is sent to a provider, and nothing is stored."
    actions={isUpdating && <span className="muted">Updating…</span>}
  >
    {error ? (
      <Notice tone="warn">{describeError(error)}</Notice>
    ) : request.user.trim() === '' || request.model.trim() === '' ? (
      <p className="muted">Enter an address and a text to see what would leave.</p>
    ) : data === undefined ? (
      <Skeleton lines={6} />
    ) : (
      <div className={css.preview} aria-busy={isUpdating}>
        <Loaded preview={data} isAgent={request.model.startsWith('agent:')} />
      </div>
    )}
  </Section>
);

const Loaded = ({ preview, isAgent }: { preview: Preview; isAgent: boolean }) => {
  const { egress, routing, droppedParams } = preview;
  const { masked, categories } = egress.pii;
  const reason = ROUTING[routing.reason];
  return (
    <>
      <p>
        <strong>
          {egress.model} at {egress.provider}
        </strong>
        . {reason}
      </p>
      <p className={css.badges}>
        {masked === 0 ? (
          <Badge>Nothing is masked</Badge>
        ) : (
          <>
            <Badge tone="info">{formatCount(masked)} masked</Badge>
            {categories.map((category) => (
              <Badge key={category}>{category}</Badge>
            ))}
          </>
        )}
        {droppedParams.map((name) => (
          <Badge key={name} tone="warn">
            not sent: {name}
          </Badge>
        ))}
      </p>
      {isAgent && (
        <Notice>
          These are your own texts. The agent adds its persona, memories and documents when it
          answers; they are masked likewise.
        </Notice>
      )}
      <div className={css.texts}>
        {readMaskedTexts(preview).map((text) => (
          <MaskedTextView key={text.path} text={text} />
        ))}
      </div>
      <details>
        <summary>The exact body</summary>
        <pre className={css.code} tabIndex={0} aria-label="The exact body">
          {egress.body}
        </pre>
      </details>
    </>
  );
};

const MaskedTextView = ({ text: { path, stretches } }: { text: MaskedText }) => (
  <section className={css.text} aria-label={path}>
    <h3>
      <code>{path}</code>
    </h3>
    <div className={css.sides}>
      <Side title="Without masking">
        {stretches.map((stretch, at) => (
          <StretchView key={at} stretch={stretch} shows="value" />
        ))}
      </Side>
      <Side title="The provider gets">
        {stretches.map((stretch, at) => (
          <StretchView key={at} stretch={stretch} shows="placeholder" />
        ))}
      </Side>
    </div>
  </section>
);

const Side = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <h4>{title}</h4>
    <p className={css.side}>{children}</p>
  </div>
);

type StretchViewProps = { stretch: Stretch; shows: 'value' | 'placeholder' };

const StretchView = ({ stretch, shows }: StretchViewProps) =>
  'text' in stretch ? (
    stretch.text
  ) : (
    <mark title={stretch.masked.category}>
      {shows === 'value' ? stretch.masked.value : stretch.placeholder}
    </mark>
  );
