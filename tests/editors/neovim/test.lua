-- nvim --clean --headless -n -i NONE FILE -S test.lua
-- What docs/editors.md says, in Neovim: the findings, the fixes through the editor's own function, the
-- saved file, safe fixes on save. TORCHLEAK is the binary, SETUP the snippet of the documentation that fits
-- this version, SAVE the one for fixes on save, EXPECT and EXPECT_STALE the files as they have to be in the
-- end. Exit status 0 or 1.
local PATIENCE = 60000 -- for what must happen, however slow the machine is

local function wait_for(what, condition)
  local value
  local done = vim.wait(PATIENCE, function()
    value = condition()
    return value
  end, 10)
  assert(done, "still waiting: " .. what)
  return value
end

local function text_of(file)
  return table.concat(vim.fn.readfile(file, "b"), "\n")
end

local function by_place(a, b)
  return a.lnum < b.lnum
end

-- The finding farthest down; the editor's menu, in which the fix is chosen.
local function fix_last(buffer, left)
  local findings = wait_for(left .. " findings", function()
    local found = vim.diagnostic.get(buffer)
    return #found == left and found
  end)
  table.sort(findings, by_place)
  local finding = findings[left]
  local offered
  vim.ui.select = function(items, _, choose)
    offered = {}
    local fix
    for _, item in ipairs(items) do
      local action = item.action or item[2] -- since 0.10, before
      offered[#offered + 1] = action.title
      if action.title:lower() == "keep the number, not the tensor (unsafe)" then
        fix = item
      end
    end
    choose(fix)
  end
  vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, finding.col })
  vim.lsp.buf.code_action()
  wait_for("the menu of quick fixes", function()
    return offered
  end)
  assert(vim.tbl_contains(offered, "Disable TLK101 for this line"), vim.inspect(offered))
  wait_for("one finding less", function()
    return #vim.diagnostic.get(buffer) == left - 1
  end)
end

-- Safe fixes are made when a file is written.
local function fix_on_save()
  dofile(vim.env.SAVE)
  vim.cmd("edit stale.py | set filetype=python")
  local buffer = vim.api.nvim_get_current_buf()
  wait_for("the unused suppression", function()
    return #vim.diagnostic.get(buffer) == 1
  end)
  vim.cmd("silent write")
  local saved = text_of(vim.api.nvim_buf_get_name(buffer))
  assert(saved == text_of(vim.env.EXPECT_STALE), "saved: " .. saved)
end

local function test()
  local buffer = vim.api.nvim_get_current_buf()
  local file = vim.api.nvim_buf_get_name(buffer)
  vim.env.PATH = vim.fn.fnamemodify(vim.env.TORCHLEAK, ":h") .. ":" .. vim.env.PATH
  dofile(vim.env.SETUP)
  vim.cmd("set filetype=python")

  local findings = wait_for("findings", function()
    local found = vim.diagnostic.get(buffer)
    return #found == 3 and found
  end)
  table.sort(findings, by_place)
  for i, finding in ipairs(findings) do
    assert(finding.source == "torchleak" and finding.code == "TLK101", vim.inspect(finding))
    assert(finding.severity == vim.diagnostic.severity.WARN, vim.inspect(finding))
    -- Columns are bytes here, whatever was agreed on with the server.
    local line = vim.api.nvim_buf_get_lines(buffer, finding.lnum, finding.lnum + 1, true)[1]
    assert(finding.lnum == 11 + i and finding.col == 8 and finding.end_col == #line, vim.inspect(finding))
  end
  for left = 3, 1, -1 do
    fix_last(buffer, left)
  end
  vim.cmd("silent write")
  assert(text_of(file) == text_of(vim.env.EXPECT), "saved: " .. text_of(file))

  fix_on_save()

  local get_clients = vim.lsp.get_clients or vim.lsp.get_active_clients -- since 0.10, before
  local clients = get_clients()
  assert(#clients == 1 and clients[1].name == "torchleak", vim.inspect(#clients))
  vim.lsp.stop_client(clients[1].id)
  wait_for("the end of the server", function()
    return #get_clients() == 0
  end)
end

local ok, message = xpcall(test, debug.traceback)
if not ok then
  io.stdout:write("FAIL: " .. tostring(message) .. "\n")
  vim.cmd("cquit 1")
end
io.stdout:write("ok\n")
vim.cmd("qall!")
