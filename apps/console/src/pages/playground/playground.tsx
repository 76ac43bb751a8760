import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { AnswerPanel } from './answer-panel.tsx';
import type { CallRequest } from './call-request.ts';
import { CodePanel } from './code-panel.tsx';
import type { DialectName } from './dialects.ts';
import css from './playground.module.css';
import { previewQuery } from './playground-query.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { RequestForm } from './request-form.tsx';
import { useCall } from './use-call.ts';
import { useSettled } from './use-settled.ts';

const routeApi = getRouteApi('/shell/playground');

const EXAMPLE =
  'Write a reply to Ingrid Solberg (ingrid.solberg@example.com, +47 22 93 12 45): ' +
  'her order ships ' +
  'on Friday.';

/** How long the texts must be unchanged before the preview is asked for, in milliseconds. */
const PREVIEW_DELAY_MS = 400;

/** One call to any address in any dialect, with everything that happens to it. */
export const Playground = () => {
  const search = routeApi.useSearch();
  const [dialect, setDialect] = useState(search.dialect ?? 'chat-completions');
  const [request, setRequest] = useState<CallRequest>({
    model: search.model ?? 'service-auto',
    system: '',
    user: EXAMPLE,
    isStreamed: search.stream !== false,
    maxTokens: undefined,
    temperature: undefined,
  });
  const call = useCall();
  const settled = useSettled(request, PREVIEW_DELAY_MS);
  const preview = useQuery(previewQuery(dialect, settled));
  const isUpdating =
    (preview.isPlaceholderData && preview.fetchStatus !== 'idle') ||
    JSON.stringify(request) !== JSON.stringify(settled);
  useAddress(dialect, settled);
  return (
    <Page
      title="Playground"
      intro={
        'One call, as your program would make it: who answers and why, what the provider gets, ' +
        'and the certificate.'
      }
      isWide
    >
      <div className={css.layout}>
        <RequestForm
          dialect={dialect}
          request={request}
          call={call}
          onDialect={setDialect}
          onChange={(change) => setRequest((current) => ({ ...current, ...change }))}
        />
        <div className={css.results}>
          <AnswerPanel call={call} preview={preview.data} />
          <PreviewPanel preview={preview} request={settled} isUpdating={isUpdating} />
          <CodePanel dialect={dialect} request={request} />
        </div>
      </div>
    </Page>
  );
};

/** Writes the settings to the address of the page, so that a link reproduces them. */
const useAddress = (dialect: DialectName, { model, isStreamed }: CallRequest): void => {
  const navigate = useNavigate();
  useEffect(() => {
    const search = { model, dialect, ...(isStreamed ? {} : { stream: false as const }) };
    void navigate({ to: '/playground', search, replace: true, resetScroll: false });
  }, [navigate, model, dialect, isStreamed]);
};
