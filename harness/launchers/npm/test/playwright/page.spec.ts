// A page of the platform, in a browser.
import { expect, test } from '../../playwright.js'

for (const name of ['First', 'Second']) {
  test(`the newest token is on the page, ${name}`, async ({ page, platform }) => {
    const listed = async () => (await (await page.request.get(`${platform.baseUrl}/api/tokens`)).json()).totalCount
    expect(await listed()).toBe(80)
    await platform.control.call('launchToken', { name: `${name} on a page`, ticker: 'PAGE', targetRaise: '1' })
    await page.goto(`${platform.baseUrl}/?sortBy=newest`)
    await expect(page.getByText(`${name} on a page`).first()).toBeVisible()
  })
}
