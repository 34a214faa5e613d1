"""The tools that the example playbooks call, as an MCP server at http://localhost:9000/mcp.

    pip install "mcp>=2" && python shop_server.py
"""

from mcp.server.mcpserver import MCPServer

server = MCPServer("shop")

ORDERS = {
    "A-17": {"order_id": "A-17", "total": 20, "days_since_delivery": 3, "expected_delivery_date": "2026-01-09"},
    "B-2": {"order_id": "B-2", "total": 250, "days_since_delivery": 45, "expected_delivery_date": "2025-11-20"},
}


@server.tool()
def find_order(id: str, token: str | None = None) -> dict | None:
    """Finds an order by its number."""
    return ORDERS.get(id)


@server.tool()
def pay_back(order: str, amount: float) -> bool:
    """Pays money back for an order."""
    print(f"paid {amount} back for {order}")
    return True


@server.tool()
def search(query: str) -> list[str]:
    """Finds the titles of documents in the library."""
    return [title for title in ("Tea", "Coffee", "Milk") if title.lower() in query.lower()]


if __name__ == "__main__":
    server.run(transport="streamable-http", port=9000)
