// Icons of the transport bar, drawn on a grid of 24.

function icon(body: string): string {
  return `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${body}</svg>`;
}

const line = 'fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"';

export const ICONS = {
  play: icon('<path d="M8 5.2v13.6a.6.6 0 0 0 .92.5l10.6-6.8a.6.6 0 0 0 0-1L8.92 4.7A.6.6 0 0 0 8 5.2Z" fill="currentColor"/>'),
  pause: icon('<rect x="6.5" y="5" width="4" height="14" rx="1.2" fill="currentColor"/><rect x="13.5" y="5" width="4" height="14" rx="1.2" fill="currentColor"/>'),
  step: icon('<path d="M6 5.6v12.8a.5.5 0 0 0 .77.42L15 12.9V18a1 1 0 0 0 2 0V6a1 1 0 0 0-2 0v5.1L6.77 5.18A.5.5 0 0 0 6 5.6Z" fill="currentColor"/>'),
  reset: icon(`<path d="M5 12a7 7 0 1 0 2.2-5.1M5 4.5V8h3.6" ${line}/>`),
  record: icon('<circle cx="12" cy="12" r="6" fill="currentColor"/>'),
  load: icon(`<path d="M12 15.5V4.5m0 0L7.8 8.7M12 4.5l4.2 4.2M5 15.5v2.3c0 .9.8 1.7 1.7 1.7h10.6c.9 0 1.7-.8 1.7-1.7v-2.3" ${line}/>`),
  camera: icon(`<path d="M4.5 8.6c0-.8.6-1.4 1.4-1.4h2.3L9.6 5h4.8l1.4 2.2h2.3c.8 0 1.4.6 1.4 1.4v8.5c0 .8-.6 1.4-1.4 1.4H5.9c-.8 0-1.4-.6-1.4-1.4Z" ${line}/><circle cx="12" cy="12.6" r="3.2" ${line}/>`),
  headset: icon(`<path d="M3.8 9.2c0-1 .8-1.8 1.8-1.8h12.8c1 0 1.8.8 1.8 1.8v5.6c0 1-.8 1.8-1.8 1.8h-2.6c-.5 0-1-.2-1.3-.6l-1.2-1.3a1.8 1.8 0 0 0-2.6 0L9.5 16c-.3.4-.8.6-1.3.6H5.6c-1 0-1.8-.8-1.8-1.8Z" ${line}/>`),
  sun: icon(`<circle cx="12" cy="12" r="3.8" ${line}/><path d="M12 3.5v2M12 18.5v2M3.5 12h2M18.5 12h2M6 6l1.4 1.4M16.6 16.6 18 18M6 18l1.4-1.4M16.6 7.4 18 6" ${line}/>`),
  moon: icon(`<path d="M19.2 14.2A7.6 7.6 0 0 1 9.8 4.8a7.6 7.6 0 1 0 9.4 9.4Z" ${line}/>`),
  help: icon(`<circle cx="12" cy="12" r="8" ${line}/><path d="M9.8 9.6a2.3 2.3 0 1 1 3.3 2.1c-.7.3-1.1.8-1.1 1.6v.2M12 16.3v.1" ${line}/>`),
  grasp: icon(`<path d="M7 13V8.2a1.4 1.4 0 0 1 2.8 0V7a1.4 1.4 0 0 1 2.8 0v.8a1.4 1.4 0 0 1 2.8 0v1a1.4 1.4 0 0 1 2.8 0v4.4c0 3.3-2.3 5.8-5.6 5.8-2.4 0-3.9-1-5-2.8L5 12.9c-.8-1.4 1-2.6 2-1.3Z" ${line}/>`),
  everything: icon(`<circle cx="12" cy="12" r="2.4" fill="currentColor"/><circle cx="12" cy="12" r="6.2" ${line}/><path d="M12 3.2v2.600M12 18.200v2.600M3.2 12h2.600M18.2 12h2.6" ${line}/>`),
  thumb: icon(`<path d="M8 11.200v7.300H5.600c-.6 0-1.1-.5-1.1-1.100v-5.100c0-.6.5-1.1 1.1-1.100Zm0 0 3.4-6.400c1.3 0 2.2 1 2.2 2.300v2.700h3.900c1.2 0 2.1 1.1 1.9 2.300l-.9 4.900c-.2.9-1 1.5-1.9 1.500H8" ${line}/>`),
  palm: icon(`<path d="M7.2 13.400V6.900a1.3 1.3 0 0 1 2.6 0v4.3-6a1.3 1.3 0 0 1 2.6 0v6-5.300a1.3 1.3 0 0 1 2.6 0v5.9-3.700a1.3 1.3 0 0 1 2.6 0v6.200c0 3.3-2.3 5.9-5.4 5.9-2.3 0-3.7-.9-4.9-2.700l-2.4-3.800c-.8-1.4 1-2.5 2-1.300Z" ${line}/>`),
  eye: icon(`<path d="M3.5 12c2-3.9 5-5.9 8.5-5.900s6.5 2 8.5 5.900c-2 3.9-5 5.9-8.5 5.900S5.5 15.9 3.5 12Z" ${line}/><circle cx="12" cy="12" r="2.7" ${line}/>`),
  fullscreen: icon(`<path d="M4.5 9V6c0-.8.7-1.5 1.5-1.500h3M19.5 9V6c0-.8-.7-1.5-1.5-1.500h-3M4.5 15v3c0 .8.7 1.5 1.5 1.500h3M19.5 15v3c0 .8-.7 1.5-1.5 1.500h-3" ${line}/>`),
  smaller: icon(`<path d="M9 4.500v3c0 .8-.7 1.5-1.5 1.500h-3M15 4.500v3c0 .8.7 1.5 1.5 1.500h3M9 19.500v-3c0-.8-.7-1.5-1.5-1.500h-3M15 19.500v-3c0-.8.7-1.5 1.5-1.500h3" ${line}/>`),
  away: icon(`<path d="M12 18.500v-13m0 0L7 10.500m5-5 5 5" ${line}/>`),
  closer: icon(`<path d="M12 5.500v13m0 0 5-5m-5 5-5-5" ${line}/>`),
} as const;
