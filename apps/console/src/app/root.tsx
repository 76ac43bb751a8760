import { Outlet } from '@tanstack/react-router';
import { Toasts } from '../ui/toast.tsx';

/** The outermost frame: the page and the messages above it. */
export const Root = () => (
  <>
    <Outlet />
    <Toasts />
  </>
);
