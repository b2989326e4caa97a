// Puts the page together.

import 'uplot/dist/uPlot.min.css';
import './style/page.css';
import './style/controls.css';
import './style/choices.css';
import './style/narrow.css';
import { button, byId } from './dom';
import { HandDriver } from './input/hand_driver';
import { KeyboardInput } from './input/keyboard';
import { PointerInput } from './input/pointer';
import { FeedbackPanel } from './panels/feedback';
import { HandPanel } from './panels/hand';
import { HelpCard } from './panels/help';
import { Hint } from './panels/hint';
import { ICONS } from './panels/icons';
import { Legend } from './panels/legend';
import { MethodsPanel } from './panels/methods';
import { Notices, tellWebGlIsMissing } from './panels/notice';
import { PlotsPanel } from './panels/plots';
import { ScenesPanel } from './panels/scenes';
import { Sections } from './panels/section';
import { ShowPanel } from './panels/show';
import { SlidersPanel } from './panels/sliders';
import { StatusLine } from './panels/status';
import { Transport } from './panels/transport';
import { ViewTools } from './panels/view_tools';
import { savePicture } from './picture';
import { Studio } from './studio';
import { ThemeSwitch } from './theme';
import { findGraphics } from './view/quality';
import { follow } from './view/follow';
import { marginsOf } from './view/margins';
import { Stage } from './view/stage';
import { offerVr } from './xr/offer';

function start(): void {
  const query = new URLSearchParams(window.location.search);
  const graphics = findGraphics(query);
  if (!graphics) {
    tellWebGlIsMissing(byId('notice'));
    return;
  }
  document.documentElement.dataset['quality'] = graphics.quality;
  const studio = new Studio(liveAddress(query), graphics.renderer);
  const stage = new Stage(byId('view') as HTMLCanvasElement, graphics);
  const content = () => stage.content;
  // First, so that every other listener finds the scene as the frame has it.
  follow(studio, stage, () => show.shown);
  const notices = new Notices(byId('notice'), byId('toasts'), studio);
  const driver = new HandDriver(studio, content);

  new ScenesPanel(byId('scenes'), studio);
  const methods = new MethodsPanel(studio, (message) => notices.tell(message));
  const sliders = new SlidersPanel(studio, (message) => notices.tell(message));
  const hand = new HandPanel(studio, driver);
  const plots = new PlotsPanel(studio, content);
  const feedback = new FeedbackPanel(studio, methods.device, () => sections.fit());
  const legend = new Legend(byId('legend'), studio, content);
  const show = new ShowPanel(studio, (shown) => {
    content()?.show(shown);
    legend.show(shown.pressure);
    plots.showDiscs(shown.tactile);
    stage.redraw();
  });
  const sections = new Sections(byId('right'), (isTight) => plots.showOne(isTight));
  sections.add('methods', 'Methods', true, methods.root);
  sections.add('show', 'Show', true, show.root);
  sections.add('plots', 'Plots', true, plots.root);
  sections.add('feedback', 'Force feedback', false, feedback.root);
  sections.add('sliders', 'Sliders', false, sliders.root);
  sections.add('hand', 'Hand', false, methods.measures, hand.root);

  const hint = new Hint(byId('hint'), studio, driver, content);
  const card = new HelpCard();
  const help = (): void => {
    hint.show();
    card.show();
  };
  const screenshot = (): void => void savePicture(stage, studio.scene?.name ?? 'scene');
  const vr = offerVr(stage, studio, notices);
  const transport = new Transport(byId('transport'), studio, driver, {
    screenshot,
    enterVr: () => void vr.enter(),
    tell: (message, remedy) => notices.tell(message, remedy),
    tellWatching: () => notices.tellWatching(),
  });
  const views = new ViewTools(byId('view-tools'), byId('depth'), {
    lookAtAll: () => stage.frameContent(false),
    lookFrom: (preset) => stage.lookFrom(preset),
    reach: (direction) => keyboard.reach(direction),
  });
  vr.onOffer((offered) => (transport.vr.hidden = !offered));
  new StatusLine(byId('status'), studio, stage, graphics.name);

  new PointerInput(stage, studio, driver, () => notices.tellWatching());
  const keyboard = new KeyboardInput(stage, studio, driver, {
    playOrPause: () => transport.playOrPause(),
    single: () => studio.send({ type: 'single' }),
    reset: () => studio.send({ type: 'reset' }),
    screenshot,
    help,
    lookAtAll: () => stage.frameContent(false),
    lookFrom: (preset) => stage.lookFrom(preset),
    fullscreen: () => views.toggleFullscreen(),
    tell: (message) => notices.tell(message),
    tellWatching: () => notices.tellWatching(),
  });
  stage.onTick = (seconds) => {
    keyboard.update(seconds);
    driver.update(seconds);
  };

  const themes = new ThemeSwitch((theme) => {
    stage.dress(theme);
    plots.restyle();
    feedback.restyle();
    themeButton.querySelector('.icon')!.innerHTML = theme === 'dark' ? ICONS.sun : ICONS.moon;
  });
  const themeButton = button('', 'Light or dark', () => themes.toggle(), ICONS.moon);
  themeButton.id = 'theme';
  byId('brand-tools').append(button('', 'How to move the hand (?)', help, ICONS.help), themeButton);
  themes.apply();

  const panels = { left: byId('left'), right: byId('view-tools'), bottom: byId('bottom'), hint: byId('hint') };
  const fitPicture = (): void => stage.setMargins(marginsOf(panels, stage.canvas));
  window.addEventListener('resize', fitPicture);
  new ResizeObserver(fitPicture).observe(panels.hint);
  fitPicture();
  studio.on('hello', () => window.setTimeout(() => sections.fit()));
  returnFocusAfterClicks(stage.canvas);
  studio.start();
}

/** A click with the mouse leaves the keyboard with the hand; tabbing through the controls stays as it is. */
function returnFocusAfterClicks(canvas: HTMLCanvasElement): void {
  document.addEventListener('click', (event) => {
    if (event.detail > 0 && event.target instanceof Element && event.target.closest('button, summary')) canvas.focus({ preventScroll: true });
  });
}

function liveAddress(query: URLSearchParams): string {
  const { protocol, host } = window.location;
  const token = query.get('token');
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/live${token ? `?token=${encodeURIComponent(token)}` : ''}`;
}

start();
