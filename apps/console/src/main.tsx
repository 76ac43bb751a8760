import { StrictMode } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import './ui/tokens.css';
import './ui/base.css';
import { createQueryClient } from './app/query-client.ts';
import { createConsoleRouter } from './app/router.tsx';
import { takeSignInToken } from './app/sign-in-token.ts';

const takeToken = takeSignInToken(window, '/console/sign-in');
const queryClient = createQueryClient(() => {
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } });
});
const router = createConsoleRouter(queryClient, takeToken);

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
